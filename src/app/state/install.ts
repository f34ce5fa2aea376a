import { proxy } from 'valtio/vanilla';
import { isIos, localStore, matches } from '#app/platform/capabilities.ts';
import { opensWindows } from '#app/platform/later-capabilities.ts';
import { now } from '#device/timers.ts';

/** Chromium's offer to install the app, which a page may keep and show when it fits. */
interface InstallPrompt extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

declare global {
  interface Window {
    /** Kept by `page-script.ts`: the event may come before the app listens. */
    installPrompt?: InstallPrompt;
  }
}

interface InstallMemory {
  /** Seconds of playing by day (UTC), of the last two days that had any. */
  days: Record<string, number>;
  /** The viewer has played or kept enough for an offer. */
  isEarned: boolean;
  /** Epoch milliseconds before which nothing is offered again. */
  notBefore: number;
}

const key = 'fourfold.install';
const dayMs = 24 * 60 * 60 * 1000;
const putOffDays = 30;
/** Playing on so many days, each for so long, earns the offer. */
const [earningDays, earningSeconds] = [2, 600];
/** Storing at each second would wake the disk. */
const storeEverySeconds = 60;

/**
 * How the app can be installed here: by the browser's own dialog, or by hand on iOS. Null: not
 * offered.
 */
export const install = proxy<{ offer: 'prompt' | 'by-hand' | null }>({ offer: null });

let played = 0;

/** Follows what the browser says about installing. Further calls do nothing. */
export function watchInstall(): void {
  if (isWatching) return;
  isWatching = true;
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    window.installPrompt = event as InstallPrompt;
    offer();
  });
  window.addEventListener('appinstalled', () => {
    window.installPrompt = undefined;
    offer();
  });
  offer();
}

let isWatching = false;

/** To be called for each second in which videos play. */
export function notePlaying(): void {
  played += 1;
  if (played % storeEverySeconds !== 0) return;
  const day = new Date(now()).toISOString().slice(0, 10);
  change(({ days, ...rest }) => {
    const kept = Object.entries(days).slice(-earningDays + (day in days ? 0 : 1));
    const counted = { ...Object.fromEntries(kept), [day]: (days[day] ?? 0) + storeEverySeconds };
    const full = Object.values(counted).filter((seconds) => seconds >= earningSeconds);
    return { ...rest, days: counted, isEarned: rest.isEarned || full.length >= earningDays };
  });
}

/** Whoever keeps videos on a device wants to come back to them. */
export function earnInstall(): void {
  change((memory) => ({ ...memory, isEarned: true }));
}

/** Shows the browser's dialog. To be called inside a press. */
export async function askToInstall(): Promise<void> {
  const prompt = window.installPrompt;
  window.installPrompt = undefined;
  const outcome = await prompt?.prompt().catch(() => null);
  if (outcome?.outcome === 'accepted') install.offer = null;
  else putOffInstall();
}

/** The offer comes again after 30 days. */
export function putOffInstall(): void {
  change((memory) => ({ ...memory, notBefore: now() + putOffDays * dayMs }));
}

function offer(): void {
  const { isEarned, notBefore } = readMemory();
  const isInstalled = matches('(display-mode: standalone)') || !opensWindows();
  const isDue = isEarned && !isInstalled && now() >= notBefore;
  const way = window.installPrompt ? 'prompt' : isIos() ? 'by-hand' : null;
  install.offer = isDue ? way : null;
}

function change(next: (memory: InstallMemory) => InstallMemory): void {
  try {
    localStore()?.setItem(key, JSON.stringify(next(readMemory())));
  } catch {
    // Storage is full or blocked: nothing is offered.
  }
  offer();
}

function readMemory(): InstallMemory {
  const nothing = { days: {}, isEarned: false, notBefore: 0 };
  try {
    return { ...nothing, ...(JSON.parse(localStore()?.getItem(key) ?? '{}') as Partial<InstallMemory>) };
  } catch {
    return nothing;
  }
}
