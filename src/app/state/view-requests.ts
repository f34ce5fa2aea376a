import { proxy, ref } from 'valtio/vanilla';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { openView } from './navigation.ts';

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

/** The feed has returned: the request is given out once. */
export function claimPlayRequest(): PlayRequest | null {
  const request = pending;
  pending = null;
  return request;
}

/** Files that the system has opened with the app, until Upload claims them: it is shown to whoever is signed in. */
export const openedFiles = proxy<{ waiting: FileSystemFileHandle[] }>({ waiting: [] });

/** Opens Upload with them. */
export function offerOpenedFiles(files: readonly FileSystemFileHandle[]): void {
  openedFiles.waiting.push(...files.map((file) => ref(file)));
  openView('upload');
}

/** They are given out once. */
export function claimOpenedFiles(): FileSystemFileHandle[] {
  return openedFiles.waiting.splice(0);
}

let isWanted = false;

/** Opens Profile at its blocklist. */
export function visitBlocklist(): void {
  isWanted = true;
  openView('profile');
}

/** Whether Profile was opened for its blocklist; given out once. */
export function claimBlocklistVisit(): boolean {
  const wasWanted = isWanted;
  isWanted = false;
  return wasWanted;
}
