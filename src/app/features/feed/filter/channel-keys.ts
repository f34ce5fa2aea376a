import { readChannels } from '#app/state/channels.ts';
import { applyFilter, noFilter } from '#app/state/quadrant-filters.ts';
import { blockedTagIds } from '#app/state/session.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import { controls } from '../controls/controls-store.ts';
import { feed } from '../feed-state.ts';
import { quadrantMarks } from '../quadrant/quadrant-gestures.tsx';

/** Presses in a row lead further, and only the last channel is applied. */
const appliesAfterMs = 400;
const shownMs = 3_000;

/** Presses in a row go through one list, and only the place that the last one led to is applied. */
interface Series {
  places: Promise<readonly (TagLabel | null)[]>;
  place: number | null;
}

const states = byQuadrant(() => ({ series: null as Series | null, cancelApply: () => {}, cancelHide: () => {} }));

/** The sentence of a list without a channel, as in the filter. */
const noChannels = 'No channels available';

/**
 * Puts a quadrant onto the next or the previous channel by name. Beyond either end stand all videos.
 * Of more than a hundred channels it reaches the first hundred. Where there is none, or the list
 * does not load, it says so in place of a name.
 */
export async function stepChannel(quadrant: Quadrant, direction: -1 | 1): Promise<void> {
  const state = states[quadrant];
  state.series ??= { places: listPlaces(), place: null };
  const { series } = state;
  const places = await series.places.catch((error: unknown) => {
    showWords(quadrant, failures.loadChannels(error));
    return null;
  });
  const { filter } = feed.quadrants[quadrant];
  const isAlone = places?.length === 1 && filter === null;
  if (isAlone) showWords(quadrant, noChannels);
  if (places === null || isAlone) {
    // The series is over; a later one may have begun meanwhile.
    if (state.series === series) state.series = null;
    return;
  }
  const own = filter?.tagIds.length === 1 ? places.findIndex((tag) => tag?.id === filter.tagIds[0]) : 0;
  const place = ((series.place ?? Math.max(0, own)) + direction + places.length) % places.length;
  series.place = place;
  showWords(quadrant, places[place]?.name ?? 'All videos');
  state.cancelApply();
  state.cancelApply = after(appliesAfterMs, () => {
    state.series = null;
    const tag = places[place];
    const labels = tag ? [{ id: tag.id, name: tag.name, color: tag.color }] : [];
    applyFilter(quadrant, tag ? { tagIds: [tag.id], mode: 'OR', labels } : noFilter);
  });
}

/** All videos, and the channels that are not blocked. */
async function listPlaces(): Promise<readonly (TagLabel | null)[]> {
  const { tags } = await readChannels();
  const blocked = blockedTagIds();
  return [null, ...tags.filter(({ id }) => !blocked.includes(id))];
}

/** Shows some words on a quadrant for a while. */
export function showWords(quadrant: Quadrant, name: string): void {
  controls.last ??= quadrant;
  quadrantMarks[quadrant].channel = name;
  states[quadrant].cancelHide();
  states[quadrant].cancelHide = after(shownMs, () => {
    quadrantMarks[quadrant].channel = null;
  });
}
