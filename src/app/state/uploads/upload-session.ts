import { subscribe } from 'valtio/vanilla';
import { recovered } from '#app/platform/http/recovery.ts';
import { mayBeOnline, onLinkChange } from '#app/platform/link.ts';
import { now } from '#app/platform/timers.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { session } from '../session.ts';
import type { Viewer } from '../viewer-cache.ts';
import { currentViewer } from '../viewer-cache.ts';
import { loadBodyBound } from './upload-calls.ts';
import { hideUploads } from './upload-display.ts';
import { uploadChoice } from './upload-link.ts';
import { UploadRunner } from './upload-runner.ts';
import { uploads } from './uploads-state.ts';

let viewer: Viewer;
let runner: UploadRunner | null = null;
let stop: (() => void) | null = null;
let opening: Promise<void> = Promise.resolve();

/**
 * From now on the files of whoever is signed in are shown, and sent when they can be. Nobody else's: a sign-out, here
 * or in another tab, stops them at once. Further calls do nothing.
 */
export function startUploads(): void {
  if (stop) return;
  const stops = [
    subscribe(session, onSession),
    subscribe(uploadChoice, () => runner?.plan()),
    recovered.listen(() => runner?.hurry()),
    onLinkChange(onLink),
  ];
  stop = () => {
    for (const end of stops) end();
  };
  void loadBodyBound();
  onSession();
}

/** Of the person who is signed in; null: nobody is, or nobody knows yet. */
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

/** The keys of a session open its addresses to whoever reads them: they go with their owner. */
async function open(before: Viewer, next: Viewer): Promise<void> {
  if (typeof before === 'string') await uploadStore.forgetKeys(before).catch(ignoreUnreadable);
  await uploadStore.sweep(now()).catch(ignoreUnreadable);
  if (viewer !== next || !stop) return;
  if (typeof next === 'string') {
    runner = new UploadRunner(next);
    await runner.start();
  } else if (next === null) uploads.isLoaded = true;
}

/** Coming online is worth a try before the server has been heard of. */
function onLink(): void {
  runner?.plan();
  if (mayBeOnline()) runner?.hurry();
}

/** A store that cannot be read now is read at the next change. */
function ignoreUnreadable(): void {}
