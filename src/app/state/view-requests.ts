import { proxy, ref } from 'valtio/vanilla';
import { createSignal } from '#app/platform/signal.ts';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import type { Video } from '#contract/entities/video.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { openDialog, openView } from './navigation.ts';

interface PlayRequest {
  quadrant: Quadrant;
  video: PlayableVideo;
}

let pending: PlayRequest | null = null;

/** Opens the feed with a video that was chosen for one of its quadrants. */
export function playInQuadrant(request: PlayRequest): void {
  pending = request;
  openView('feed');
}

/** Gives the request to the feed, once. */
export function claimPlayRequest(): PlayRequest | null {
  const request = pending;
  pending = null;
  return request;
}

/**
 * Files that the system has opened with the app, until Upload claims them: that view is shown to
 * signed-in users.
 */
export const openedFiles = proxy<{ waiting: FileSystemFileHandle[] }>({ waiting: [] });

/** Opens Upload with these files. */
export function offerOpenedFiles(files: readonly FileSystemFileHandle[]): void {
  openedFiles.waiting.push(...files.map((file) => ref(file)));
  openView('upload');
}

/** Gives the opened files to Upload, once. */
export function claimOpenedFiles(): FileSystemFileHandle[] {
  return openedFiles.waiting.splice(0);
}

let isWanted = false;

/** Opens Profile at its blocklist. */
export function visitBlocklist(): void {
  isWanted = true;
  openView('profile');
}

/** Whether Profile was opened for its blocklist; true only once. */
export function claimBlocklistVisit(): boolean {
  const wasWanted = isWanted;
  isWanted = false;
  return wasWanted;
}

/** The video whose details are shown. */
export const detailsRequest = proxy({ videoId: '' });

/** Opens the dialog with what is known about a video. */
export function openDetails(videoId: string): void {
  detailsRequest.videoId = videoId;
  openDialog('details');
}

/** Raised with the new title of a video, for those who show it. */
export const titleChanged = createSignal<Pick<Video, 'id' | 'title'>>();

/** An act on a video: viewers report it, and administrators hide it. */
interface VideoAct {
  kind: 'report' | 'hide';
  video: Readonly<Pick<Video, 'id' | 'title'>>;
  /** Called once the video is hidden, to leave it unless the viewer has gone on to another one. */
  onHidden?: (id: string) => void;
}

/** The act that the dialog is about. */
export const videoAct = proxy<{ current: VideoAct | null }>({ current: null });

/** Opens the dialog of an act. */
export function requestVideoAct(act: VideoAct): void {
  videoAct.current = ref(act);
  openDialog('video-act');
}
