import { proxy, ref } from 'valtio/vanilla';
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
