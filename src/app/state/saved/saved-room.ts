import { proxy } from 'valtio/vanilla';
import { localStore } from '#app/platform/capabilities.ts';
import { Unanswered, withinLimit } from '#app/platform/http/time-limit.ts';
import { limits } from '#contract/limits.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';

/**
 * Waits for this browser's storage for as long as a call may take: some engines leave a request
 * without an answer for minutes, or for good.
 * @param onLate gets the answer that comes after all, as on a slow device
 * @throws Unanswered, or what was asked throws in time
 */
export async function storageAnswer<Answer>(
  asked: Promise<Answer>,
  onLate: (answer: Answer) => void = () => {},
): Promise<Answer> {
  try {
    return await withinLimit({ seconds: limits.callTimeoutSeconds }, () => asked);
  } catch (error) {
    if (error instanceof Unanswered) asked.then(onLate, ignoreLateFailure);
    throw error;
  }
}

/** Whoever asked has been told of a failure already. */
function ignoreLateFailure(): void {}

const gigabyte = 1_000_000_000;

/** The spaces that a viewer may choose, in bytes; infinite: all that may be had. */
export const savedSpaces: readonly number[] = [1, 2, 5, 10, Number.POSITIVE_INFINITY].map((size) => size * gigabyte);

/** The space where neither the viewer nor the browser says anything. */
const usualSpace = 2 * gigabyte;
const maxUsualSpace = 10 * gigabyte;
/** The share of what the browser grants, until the viewer chooses. */
const usualShare = 0.25;

const key = 'fourfold.saved-gigabytes';

/** Null: the viewer of this device has not chosen yet. */
export const savedSpace = proxy<{ chosen: number | null }>({ chosen: readChosen() });

/** @param bytes one of `savedSpaces` */
export function chooseSpace(bytes: number): void {
  savedSpace.chosen = bytes;
  try {
    localStore()?.setItem(key, String(bytes / gigabyte));
  } catch {
    // Storage is full or blocked: the choice lasts as long as the page.
  }
}

function readChosen(): number | null {
  try {
    const stored = Number(localStore()?.getItem(key) ?? Number.NaN) * gigabyte;
    return savedSpaces.includes(stored) ? stored : null;
  } catch {
    return null;
  }
}

/** The room for saved videos, of all viewers of this device together, in bytes. */
export interface SavedRoom {
  /** The chosen space. */
  space: number;
  used: number;
  /**
   * The bytes that may still be saved: the rest of the space, as far as the browser has room for
   * it.
   */
  left: number;
}

/** @param videos those that are counted as used: by default all of this device */
export async function readRoom(videos?: readonly SavedVideo[]): Promise<SavedRoom> {
  const counted = videos ?? (await savedStore.listAll()).videos;
  const used = counted.reduce((sum, { savedBytes }) => sum + savedBytes, 0);
  const { quota = Number.POSITIVE_INFINITY, usage = 0 } = (await estimate()) ?? {};
  const usual = quota === Number.POSITIVE_INFINITY ? usualSpace : Math.min(quota * usualShare, maxUsualSpace);
  const space = savedSpace.chosen ?? usual;
  const granted = Math.max(0, quota - usage) * limits.savedQuotaShare;
  return { space, used, left: Math.max(0, Math.min(space - used, granted)) };
}

/** Absent on plain-http pages; Safari has it from 17. */
function estimate(): Promise<StorageEstimate | null> {
  const { storage } = navigator as Partial<Navigator>;
  return storage?.estimate?.().catch(() => null) ?? Promise.resolve(null);
}

/** Asks the browser to keep the app's data. @returns null where a page cannot ask */
export function askToKeep(): Promise<boolean | null> {
  const { storage } = navigator as Partial<Navigator>;
  return storage?.persist?.().catch(() => false) ?? Promise.resolve(null);
}

/** Whether the browser has promised it. @returns null where a page cannot ask */
export function isPromised(): Promise<boolean | null> {
  const { storage } = navigator as Partial<Navigator>;
  return storage?.persisted?.().catch(() => null) ?? Promise.resolve(null);
}
