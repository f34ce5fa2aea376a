import { serviceWorkers, trustedTypes } from '#app/platform/later-capabilities.ts';
import { limits } from '#contract/limits.ts';
import { after, every } from '#device/timers.ts';
import { sessionStore } from './capabilities.ts';
import { fetchWithinLimit } from './http/time-limit.ts';

const checkEveryMs = 60 * 60 * 1000;
/** An accepted version takes over within a second, if the browser lets it. */
const takeOverMs = 5_000;
/** A page has asked for what its start needs after this time. */
const calmMs = 10_000;
/** Reloads for one accepted version. */
const triesMax = 5;

let accept: () => void = () => {};
let areChecksOn = true;

/**
 * Registers the service worker in production builds, if the browser has workers, and checks for a
 * new version hourly. `onReady` runs when one is waiting; nothing reloads before `acceptUpdate`.
 */
export async function registerWorker(onReady: () => void): Promise<void> {
  const container = serviceWorkers();
  if (!import.meta.env.PROD || !container) return;
  const tries = takeTries();
  let isControlled = Boolean(container.controller);
  // A page without a worker asks the network below, where a portal may answer.
  let isAccepted = tries > 0 && isControlled;
  // The next page tries again where the old worker has answered it.
  const reload = () => {
    if (tries < triesMax) sessionStore()?.setItem(triesMark, String(tries + 1));
    location.reload();
  };
  container.addEventListener('controllerchange', () => {
    if (isAccepted) reload();
    else if (isControlled) offerAcceptedElsewhere();
    isControlled = true;
  });
  if (isAccepted) void settle().catch(ignoreFailedCheck);
  const { Workbox } = await import('workbox-window');
  const worker = new Workbox(workerAddress(), { updateViaCache: 'none' });

  accept = () => {
    isAccepted = true;
    worker.messageSkipWaiting();
    // An unanswered fetch may keep the old worker active, and Chromium forgets what it was told when
    // a fetch comes as the workers change: after the limit the page reloads without waiting.
    after(takeOverMs, reload);
  };
  worker.addEventListener('waiting', ({ wasWaitingBeforeRegister }) => {
    // A version that comes later was not accepted by anybody.
    if (tries > 0 && tries < triesMax && wasWaitingBeforeRegister) after(calmMs, () => accept());
    else onReady();
  });

  /**
   * Offers a reload: another page has activated the new version, and this page still runs the old
   * one.
   */
  function offerAcceptedElsewhere(): void {
    accept = () => location.reload();
    onReady();
  }

  /**
   * Reloads a page that the old worker has answered while the accepted one took over: it would need
   * files that nobody has any more.
   */
  async function settle(): Promise<void> {
    const registration = await container?.getRegistration();
    const answer = await fetchWithinLimit('/index.html', {}, limits.callTimeoutSeconds);
    const kept = await answer.text();
    const script = document.querySelector('script[src^="/assets/"]')?.getAttribute('src') ?? '';
    if (!kept.includes(script)) reload();
    else if (!registration?.waiting && registration?.active?.state === 'activated') isAccepted = false;
  }

  await worker.register();
  every(checkEveryMs, () => areChecksOn && worker.update().catch(ignoreFailedCheck));
}

const triesMark = 'fourfold.update-accepted';

/** How often the page was reloaded for an accepted version. */
function takeTries(): number {
  const tries = Number(sessionStore()?.getItem(triesMark) ?? 0);
  sessionStore()?.removeItem(triesMark);
  return tries;
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
