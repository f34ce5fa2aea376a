import { proxy, subscribe } from 'valtio/vanilla';
import { isFound, readChannels } from '#app/state/channels.ts';
import type { QuadrantFilter } from '#app/state/quadrant-filters.ts';
import { applyFilter, noFilter } from '#app/state/quadrant-filters.ts';
import { excludedBy, setLabels } from '#app/state/video-sets.ts';
import type { ListPage } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import type { Tag, TagLabel } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { FilterMode, VideoSet } from '#contract/rules/tag-filter.ts';
import { isSetId } from '#contract/rules/tag-filter.ts';
import { closeQuadrantMenu } from '../controls/controls-store.ts';
import { feed } from '../feed-state.ts';
import { labelsOf } from './filter-bar.tsx';

interface FilterChoice {
  /**
   * Channels that were chosen when the popup opened: their rows come first, and keep their order
   * while it is open.
   */
  first: TagLabel[];
  selected: TagLabel[];
  filterMode: FilterMode;
  isApplying: boolean;
}

const initialChoice = (): FilterChoice => ({ first: [], selected: [], filterMode: 'OR', isApplying: false });

/** The choice in the popup; it has no effect until it is applied. */
export const choice = proxy<FilterChoice>(initialChoice());

/** All channels, if the first response of the server was complete; otherwise null. */
let allChannels: readonly Tag[] | null = null;
/** Aborted when the popup closes. */
let opened = new AbortController();

/** The first hundred channels by name. The server searches if there are more. */
export const channelList = createPagedList<Tag, Record<never, never>>({
  limit: limits.tagListLimit,
  filters: {},
  load: async ({ search }, signal) => {
    if (search && allChannels) return pageOf(allChannels.filter(({ name }) => isFound(name, search)));
    const { tags, total, cachedAt } = await readChannels(search, signal);
    if (!search && total === tags.length && cachedAt === null) storeAll(tags);
    return pageOf(tags, cachedAt);
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadChannels,
});

/** Opens the list with the quadrant's current filter. Returns a function that closes it. */
export function openChoice(quadrant: Quadrant): () => void {
  const { filter } = feed.quadrants[quadrant];
  const selected = labelsOf(filter).map(toLabel);
  const first = selected.filter(isChannel).sort((one, other) => one.name.localeCompare(other.name));
  Object.assign(choice, { ...initialChoice(), first, selected, ...(filter && { filterMode: filter.mode }) });
  allChannels = null;
  opened = new AbortController();
  const closeList = channelList.open();
  return () => {
    opened.abort();
    closeList();
  };
}

export function toggleFilterChannel(channel: TagLabel): void {
  const others = choice.selected.filter(({ id }) => id !== channel.id);
  choice.selected = others.length < choice.selected.length ? others : [...others, toLabel(channel)];
}

/** Chooses a set, in place of one that no video shares with it, or none. */
export function toggleFilterSet(id: VideoSet): void {
  const others = choice.selected.filter((label) => !excludedBy(id).includes(label.id));
  const isChosen = choice.selected.some((label) => label.id === id);
  choice.selected = isChosen ? others : [setLabels[id], ...others];
}

function isChannel({ id }: Pick<TagLabel, 'id'>): boolean {
  return !isSetId(id);
}

export function chooseMode(mode: FilterMode): void {
  choice.filterMode = mode;
}

/**
 * Applies the choice and closes the popup once the pick is answered; for a pinned quadrant it
 * closes at once, and the filter takes effect when the pin is removed.
 */
export async function applyChoice(quadrant: Quadrant): Promise<void> {
  const { signal } = opened;
  const labels = choice.selected.map(toLabel);
  const filter: QuadrantFilter = { tagIds: labels.map(({ id }) => id), mode: choice.filterMode, labels };
  if (!isSame(filter, feed.quadrants[quadrant].filter)) {
    choice.isApplying = true;
    applyFilter(quadrant, filter);
    await answered(quadrant, signal);
  }
  if (!signal.aborted) closeQuadrantMenu();
}

/** Clears the filter at once. */
export function clearChoice(quadrant: Quadrant): void {
  if (feed.quadrants[quadrant].filter) applyFilter(quadrant, noFilter);
  closeQuadrantMenu();
}

/** The rows that match a search: the chosen ones first, then by name. */
export function channelRowsOf(first: readonly TagLabel[], items: readonly Tag[], search: string): (TagLabel | Tag)[] {
  const chosen = first.filter(({ name }) => isFound(name, search.trim()));
  const ids = new Set(first.map(({ id }) => id));
  const known = (label: TagLabel) => items.find(({ id }) => id === label.id) ?? label;
  return [...chosen.map(known), ...items.filter(({ id }) => !ids.has(id))];
}

function storeAll(tags: readonly Tag[]): void {
  allChannels = tags;
  const isThere = (label: TagLabel) => !isChannel(label) || tags.some(({ id }) => id === label.id);
  choice.first = choice.first.filter(isThere);
  choice.selected = choice.selected.filter(isThere);
}

/** Wraps channels as the only page: those after the first hundred are found by searching. */
function pageOf(items: readonly Tag[], cachedAt: number | null = null): ListPage<Tag> {
  return { items, total: items.length, cachedAt };
}

function toLabel({ id, name, color }: TagLabel): TagLabel {
  return { id, name, color };
}

function isSame(one: QuadrantFilter, other: QuadrantFilter | null): boolean {
  const keyOf = ({ tagIds, mode }: QuadrantFilter) => [mode, ...[...tagIds].sort()].join();
  return other !== null && keyOf(one) === keyOf(other);
}

/** Resolves when the call for the new filter has ended, or the popup has closed. */
function answered(quadrant: Quadrant, signal: AbortSignal): Promise<void> {
  const state = feed.quadrants[quadrant];
  return new Promise((resolve) => {
    const check = () => {
      if (state.activity.kind === 'asking' && !signal.aborted) return;
      stop();
      resolve();
    };
    const stop = subscribe(state, check);
    signal.addEventListener('abort', check);
    check();
  });
}
