import { wakeLocks } from './capabilities.ts';

let isWanted = false;
let isAsking = false;
let held: WakeLockSentinel | null = null;
let isListening = false;

/** Keeps the screen on, or lets it go dark again. A hidden page loses the lock and takes it again when it is seen. */
export function keepScreenOn(isOn: boolean): void {
  isWanted = isOn;
  if (!isListening) document.addEventListener('visibilitychange', () => void settle());
  isListening = true;
  void settle();
}

async function settle(): Promise<void> {
  const isDue = isWanted && !document.hidden;
  if (!isDue) return release();
  if (held || isAsking) return;
  isAsking = true;
  // Refused on a low battery, and where the system does not want it: the video plays all the same.
  const lock = await wakeLocks()
    ?.request('screen')
    .catch(() => undefined);
  isAsking = false;
  if (!lock) return;
  held = lock;
  lock.addEventListener('release', () => forget(lock));
  if (!isWanted || document.hidden) release();
}

function forget(lock: WakeLockSentinel): void {
  if (held === lock) held = null;
}

function release(): void {
  const lock = held;
  held = null;
  void lock?.release().catch(forgetRefusal);
}

/** It was released already. */
function forgetRefusal(): void {}
