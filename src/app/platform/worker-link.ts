import { limits } from '#contract/limits.ts';
import { serviceWorkers, trustedTypes } from './capabilities.ts';
import { after, every } from './timers.ts';

const checkEveryMs = 60 * 60 * 1000;

let accept: () => void = () => {};

/**
 * Registers the service worker, in production builds and where there are any, and looks for a new version hourly.
 * `onReady` runs when one waits; nothing reloads before `acceptUpdate`.
 */
export async function registerWorker(onReady: () => void): Promise<void> {
  const container = serviceWorkers();
  if (!import.meta.env.PROD || !container) return;
  const { Workbox } = await import('workbox-window');
  const worker = new Workbox(workerAddress(), { updateViaCache: 'none' });
  let isControlled = Boolean(container.controller);
  let isAccepted = false;

  accept = () => {
    isAccepted = true;
    worker.messageSkipWaiting();
    // The old worker may be kept busy by a fetch that nobody answers: the viewer asked for a reload.
    after(limits.callTimeoutSeconds * 1000, () => location.reload());
  };
  worker.addEventListener('waiting', onReady);
  worker.addEventListener('controlling', () => {
    if (isAccepted) location.reload();
    else if (isControlled) offerAcceptedElsewhere();
    isControlled = true;
  });

  /** The new version already runs; this page still is the old one. */
  function offerAcceptedElsewhere(): void {
    accept = () => location.reload();
    onReady();
  }

  await worker.register();
  every(checkEveryMs, () => worker.update().catch(ignoreFailedCheck));
}

const workerPath = '/sw.js';

/** The worker's address, in an engine with Trusted Types as a value that only the policy named in the server's headers makes. */
function workerAddress(): string {
  const policy = trustedTypes()?.createPolicy('fourfold-worker', { createScriptURL: onlyOurWorker });
  return policy ? policy.createScriptURL(workerPath) : workerPath;
}

function onlyOurWorker(url: string): string {
  if (url !== workerPath) throw new TypeError(`${url} is no worker of ours`);
  return url;
}

/** Lets the waiting version take over, then reloads once. */
export function acceptUpdate(): void {
  accept();
}

/** Offline, or a server that is just being replaced: the next hour asks again. */
function ignoreFailedCheck(): void {}
