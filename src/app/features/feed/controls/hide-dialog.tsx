import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { FormDialog } from '#app/ui/dialogs.tsx';
import { createForm } from '#app/ui/form/form.ts';
import { useBackLayer } from '#app/ui/modal.tsx';
import { confirmations } from '#contract/confirmations.ts';
import { hideVideo } from '#contract/endpoints.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import { removeFromFeed } from '../supply/hidden-videos.ts';
import { closeQuadrantMenu } from './controls-store.ts';

/**
 * Asks for confirmation before a video is hidden. Closing the dialog closes the menu that opened
 * it.
 */
export function HideDialog({ video }: { video: FeedVideo }) {
  const { isReachable } = useSnapshot(connection);
  useBackLayer(closeQuadrantMenu);
  useEffect(() => openHideForm(video.id), [video.id]);
  return (
    <FormDialog
      form={hideForm}
      title="Hide Video"
      sentence={confirmations.hideVideo(video.filename)}
      action="Hide video"
      busy="Hiding..."
      isAlert
      isOffline={!isReachable}
      onClose={closeQuadrantMenu}
    />
  );
}

let videoId = '';

/** The confirmation form; it has no fields. */
const hideForm = createForm<never>({ empty: {}, check: () => ({}), send: hide, staysBusy: true });

/** @returns a function that resets the form */
function openHideForm(id: string): () => void {
  videoId = id;
  return () => hideForm.reset();
}

/**
 * Replaces the video at once in this browser; other browsers replace it when they learn of the
 * change.
 */
async function hide(_: unknown, signal: AbortSignal): Promise<void> {
  const id = videoId;
  await call(hideVideo, { params: { id } });
  removeFromFeed([id]);
  if (!signal.aborted) closeQuadrantMenu();
}
