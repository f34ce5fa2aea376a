import { proxy, ref } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { listReports } from '#contract/endpoints.ts';
import type { Video } from '#contract/entities/video.ts';
import { openDialog } from './navigation.ts';

/** An act on a video: viewers report it, and administrators hide it. */
interface VideoAct {
  kind: 'report' | 'hide';
  video: Readonly<Pick<Video, 'id' | 'title'>>;
  /** Called once the video is hidden, to leave it. */
  onHidden?: () => void;
}

/** The act that the dialog is about. */
export const videoAct = proxy<{ current: VideoAct | null }>({ current: null });

/** Opens the dialog of an act. */
export function requestVideoAct(act: VideoAct): void {
  videoAct.current = ref(act);
  openDialog('video-act');
}

/** The number of videos with open reports, as far as it is known. */
export const openReports = proxy({ videos: 0 });

/** Reads how many videos are reported. Without an answer the last number stays. */
export async function countReports(): Promise<void> {
  const reply = await call(listReports, { query: { page: 1, limit: 1 } }).catch(() => null);
  if (reply) openReports.videos = reply.total;
}
