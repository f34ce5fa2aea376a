import { limits } from '#contract/limits.ts';
import { after, every } from '#device/timers.ts';
import { serviceWorkers, sessionStore, trustedTypes } from './capabilities.ts';

const checkEveryMs = 60 * 60 * 1000;

let accept: () => void = () => {};
let areChecksOn = true;

/**
 * Registers the service worker in production builds, if the browser has workers, and checks for a
 * new version hourly. `onReady` runs when one is waiting; nothing reloads before `acceptUpdate`.
 */
export async function registerWorker(onReady: () => void): Promise<void> {
  const container = serviceWorkers();
  if (!import.meta.env.PROD || !container) return;
  const { Workbox } = await import('workbox-window');
  const worker = new Workbox(workerAddress(), { updateViaCache: 'none' });
  let isControlled = Boolean(container.controller);
  let isAccepted = false;
  const isSecondTry = takeMark();

  accept = () => {
    isAccepted = true;
    worker.messageSkipWaiting();
    // An unanswered fetch may keep the old worker active: after the limit the page reloads without
    // waiting for it. If that old worker answers, the next page tries once more.
    after(limits.callTimeoutSeconds * 1000, () => {
      if (!isSecondTry) sessionStore()?.setItem(mark, '1');
      location.reload();
    });
  };
  worker.addEventListener('waiting', ({ wasWaitingBeforeRegister }) => {
    // A version that comes later was not accepted by anybody.
    if (isSecondTry && wasWaitingBeforeRegister) accept();
    else onReady();
  });
  worker.addEventListener('controlling', () => {
    if (isAccepted) location.reload();
    else if (isControlled) offerAcceptedElsewhere();
    isControlled = true;
  });

  /**
   * Offers a reload: another page has activated the new version, and this page still runs the old
   * one.
   */
  function offerAcceptedElsewhere(): void {
    accept = () => location.reload();
    onReady();
  }

  await worker.register();
  every(checkEveryMs, () => areChecksOn && worker.update().catch(ignoreFailedCheck));
}

/** Marks that an accepted version has not taken over before the limit. */
const mark = 'fourfold.update-accepted';

/** @returns whether the page before this one has left the mark, which counts once */
function takeMark(): boolean {
  const isThere = sessionStore()?.getItem(mark) === '1';
  sessionStore()?.removeItem(mark);
  return isThere;
}

/** Continues or pauses the hourly checks for a new version. */
export function checkForUpdates(isOn: boolean): void {
  areChecksOn = isOn;
}

const workerPath = '/sw.js';

/**
 * The worker's URL; with Trusted Types it is created by the policy that the server's headers name.
 */
function workerAddress(): string {
  const policy = trustedTypes()?.createPolicy('fourfold-worker', { createScriptURL: onlyOurWorker });
  return policy ? policy.createScriptURL(workerPath) : workerPath;
}

function onlyOurWorker(url: string): string {
  if (url !== workerPath) throw new TypeError(`${url} is no worker of ours`);
  return url;
}

/** Activates the waiting version, then reloads once. */
export function acceptUpdate(): void {
  accept();
}

/**
 * The check fails offline, or while the server is being replaced: the next one follows in an hour.
 */
function ignoreFailedCheck(): void {}
