import { proxy, subscribe } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { callCached } from '#app/platform/http/call-cached.ts';
import { listFavourites, listReports } from '#contract/endpoints.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import type { VideoSet } from '#contract/rules/tag-filter.ts';
import { isUnsent } from '#device/outbox-entry.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { now } from '#device/timers.ts';
import { sendOrStore, untilSent } from './outbox/outbox-actions.ts';
import { favouriteIds } from './quadrant-filters.ts';
import { session } from './session.ts';
import { watchViewer } from './viewer-cache.ts';

/** The sets that a filter can name, as chips show them. */
export const setLabels: Record<VideoSet, TagLabel> = {
  'is:favourite': { id: 'is:favourite', name: 'Favourites', color: '#E5484D' },
  'is:short': { id: 'is:short', name: 'Short', color: limits.tagColor },
  'is:medium': { id: 'is:medium', name: 'Medium', color: limits.tagColor },
  'is:long': { id: 'is:long', name: 'Long', color: limits.tagColor },
  'is:upright': { id: 'is:upright', name: 'Upright', color: limits.tagColor },
  'is:wide': { id: 'is:wide', name: 'Wide', color: limits.tagColor },
};

export const lengths: readonly VideoSet[] = ['is:short', 'is:medium', 'is:long'];
export const shapes: readonly VideoSet[] = ['is:upright', 'is:wide'];

/** The sets that no video shares with this one, which the choice of this one replaces. */
export function excludedBy(id: string): readonly string[] {
  return [lengths, shapes].find((group) => group.some((set) => set === id)) ?? [id];
}

/** The favourites of whoever is signed in, with the changes that wait for the network. */
export const favourites = proxy<{ ids: readonly string[] }>({ ids: [] });

/** Views that open within this time share an answer, unless a change waits: it may be refused. */
const freshForMs = 30_000;
let owner: string | null = null;
let loadedAt = Number.NEGATIVE_INFINITY;
let loading: Promise<void> | null = null;
/** The last change of each video, by its id. */
const lastChanges = new Map<string, object>();

/**
 * Reads the favourites, unless they were read a moment ago. Somebody who is not signed in has none.
 * @throws as `call`, when this device does not know them either
 */
export function loadFavourites(): Promise<void> {
  const userId = session.user?.id ?? null;
  if (userId !== owner) {
    [owner, loadedAt, loading] = [userId, Number.NEGATIVE_INFINITY, null];
    show([]);
  }
  if (userId === null || Math.abs(now() - loadedAt) < freshForMs) return Promise.resolve();
  loading ??= load(userId).finally(() => {
    if (owner === userId) loading = null;
  });
  return loading;
}

async function load(userId: string): Promise<void> {
  const { reply } = await untilSent().then(() => callCached(listFavourites, undefined));
  const waiting = (await outboxStore.list(userId).catch(() => [])).filter(isUnsent);
  if (owner !== userId || session.user?.id !== userId) return;
  const ids = new Set(reply.ids);
  for (const { call, params } of waiting) {
    if (call === 'addFavourite') ids.add(params?.id ?? '');
    else if (call === 'removeFavourite') ids.delete(params?.id ?? '');
  }
  loadedAt = waiting.length > 0 ? Number.NEGATIVE_INFINITY : now();
  show([...ids]);
}

/** Reads them again for whoever signs in. Returns a function that stops it. */
export function showFavourites(): () => void {
  const show = () => void loadFavourites().catch(() => {});
  show();
  return subscribe(session, () => (session.user?.id ?? null) !== owner && show());
}

/**
 * Makes a video a favourite, or none, as soon as the list is known.
 * @param isFavourite whether it was shown as one; undefined: nothing showed it, the list decides
 * @returns what became of it, as a sentence for people; empty where somebody else is here by then
 */
export async function toggleFavourite({ id, title }: Named, isFavourite?: boolean): Promise<string> {
  const [isSame, change] = [watchViewer(), {}];
  if (session.user === null) return notices.favouritesNeedAccount;
  if (owner !== session.user.id || loading) await loadFavourites().catch(() => {});
  if (!isSame()) return '';
  const wasFavourite = favourites.ids.includes(id);
  const isAdded = !(isFavourite ?? wasFavourite);
  lastChanges.set(id, change);
  put(id, isAdded);
  try {
    const sent = await sendOrStore(isAdded ? 'addFavourite' : 'removeFavourite', { params: { id }, subject: title });
    if (sent.isStored) loadedAt = Number.NEGATIVE_INFINITY;
    if (!isSame()) return '';
    return sent.isStored ? notices.changeWaits : isAdded ? notices.favouriteAdded : notices.favouriteRemoved;
  } catch (error) {
    if (!isSame()) return '';
    if (lastChanges.get(id) === change) put(id, wasFavourite);
    return failures.changeFavourite(error);
  }
}

type Named = Readonly<Record<'id' | 'title', string>>;

function put(id: string, isFavourite: boolean): void {
  const others = favourites.ids.filter((other) => other !== id);
  show(isFavourite ? [id, ...others] : others);
}

function show(ids: readonly string[]): void {
  favourites.ids = ids;
  favouriteIds.clear();
  for (const id of ids) favouriteIds.add(id);
}

/** The number of videos with open reports, as far as it is known. */
export const openReports = proxy({ videos: 0 });

/** Reads how many videos are reported. Without an answer the last number stays. */
export async function countReports(): Promise<void> {
  const reply = await call(listReports, { query: { page: 1, limit: 1 } }).catch(() => null);
  if (reply) openReports.videos = reply.total;
}
