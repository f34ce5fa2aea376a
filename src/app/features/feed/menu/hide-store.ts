import { call } from '#app/platform/http/call.ts';
import { createForm } from '#app/ui/form/form.ts';
import { hideVideo } from '#contract/endpoints.ts';
import { removeFromFeed } from '../supply/hidden-videos.ts';
import { closeQuadrantMenu } from './quadrant-menu-store.ts';

let videoId = '';

/** The question whether a video is hidden; it has no fields. */
export const hideForm = createForm<never>({ empty: {}, check: () => ({}), send: hide, staysBusy: true });

/** @returns what forgets the question */
export function openHideForm(id: string): () => void {
  videoId = id;
  return () => hideForm.reset();
}

/** On this screen the video is replaced at once, on others when they hear of the change. */
async function hide(_: unknown, signal: AbortSignal): Promise<void> {
  const id = videoId;
  await call(hideVideo, { params: { id } });
  removeFromFeed([id]);
  if (!signal.aborted) closeQuadrantMenu();
}
