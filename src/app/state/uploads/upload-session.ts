import { subscribe } from 'valtio/vanilla';
import { mayBeOnline, onLinkChange, recovered } from '#app/platform/link.ts';
import { sweepTime } from '#device/tab-turn.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { linkChoice } from '../link-choice.ts';
import { session } from '../session.ts';
import type { ViewerId } from '../viewer-cache.ts';
import { currentViewer } from '../viewer-cache.ts';
import { loadBodyBound } from './upload-calls.ts';
import { hideUploads } from './upload-display.ts';
import { UploadRunner } from './upload-runner.ts';
import { uploads } from './uploads-state.ts';

let viewer: ViewerId;
let runner: UploadRunner | null = null;
let stop: (() => void) | null = null;
let opening: Promise<void> = Promise.resolve();

/**
 * Starts showing the signed-in user's files, and sending them when possible. A sign-out, here or in
 * another tab, stops this at once. Further calls do nothing.
 */
export function startUploads(): void {
  if (stop) return;
  const stops = [
    subscribe(session, onSession),
    subscribe(linkChoice, () => runner?.plan()),
    recovered.listen(() => runner?.hurry()),
    onLinkChange(onLink),
  ];
  stop = () => {
    for (const end of stops) end();
  };
  void loadBodyBound();
  onSession();
}

/** The signed-in user's runner; null when nobody is signed in, or the session is not known yet. */
export async function currentRunner(): Promise<UploadRunner | null> {
  await opening;
  return runner;
}

export function stopUploads(): void {
  stop?.();
  stop = null;
  runner?.stop();
  runner = null;
  viewer = undefined;
  hideUploads();
  uploads.isLoaded = false;
}

function onSession(): void {
  const next = currentViewer();
  if (next === viewer) {
    runner?.hurry();
    return;
  }
  const before = viewer;
  viewer = next;
  runner?.stop();
  runner = null;
  hideUploads();
  opening = open(before, next);
}

/**
 * Starts the uploads of the next viewer. The previous user's keys are deleted: anyone who reads a
 * key can use the session's upload URLs.
 */
async function open(before: ViewerId, next: ViewerId): Promise<void> {
  if (typeof before === 'string') await uploadStore.forgetKeys(before).catch(ignoreUnreadable);
  await sweepTime()
    .then((time) => uploadStore.sweep(time))
    .catch(ignoreUnreadable);
  if (viewer !== next || !stop) return;
  if (typeof next === 'string') {
    runner = new UploadRunner(next);
    await runner.start();
  } else if (next === null) uploads.isLoaded = true;
}

/** Retries when the browser comes online, before the server has been reached. */
function onLink(): void {
  runner?.plan();
  if (mayBeOnline()) runner?.hurry();
}

/** A store that cannot be read is read again at the next change. */
function ignoreUnreadable(): void {}
