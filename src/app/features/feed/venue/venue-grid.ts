import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { fetchWithinLimit } from '#app/platform/http/time-limit.ts';
import { restoreFilters } from '#app/state/quadrant-filters.ts';
import type { SavedFilters } from '#app/state/saved-filters.ts';
import { hasSavedFilters, readSavedFilters } from '#app/state/saved-filters.ts';
import { readPart, saveFilters, storePart } from '#app/state/venue-setup.ts';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { expand, feed } from '../feed-state.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import { machines } from '../quadrant/quadrant-machine.ts';

type PinnedVideo = Omit<FeedVideo, 'url'>;

/** The grid is kept as it was when venue mode began. */
interface VenueGrid {
  filters: SavedFilters;
  pins: Partial<Record<Quadrant, PinnedVideo>>;
  expanded: Quadrant | null;
}

/** The pins that are still to be restored. */
let missing: VenueGrid['pins'] = {};

/** Stores the grid as it is, or restores the one that was stored. */
export function openGrid(): void {
  const stored = readGrid();
  if (stored === null) storePart('grid', { filters: readSavedFilters(), pins: readPins(), expanded: feed.expanded });
  keepFilters();
  if (stored === null) return;
  missing = { ...stored.pins };
  if (stored.expanded !== null && feed.expanded === null) expand(stored.expanded);
  restorePins();
}

/** Saves the filters without an end; those that were cleared since are applied again. */
export function keepFilters(): void {
  const { filters } = readGrid() ?? { filters: {} };
  if (Object.keys(filters).length === 0) return;
  const wereCleared = !hasSavedFilters();
  saveFilters(filters, true);
  if (wereCleared) restoreFilters();
}

/** Restores the pins whose videos are not there yet. To be called again and again. */
export function restorePins(): void {
  for (const [quadrant, video] of Object.entries(missing) as [Quadrant, PinnedVideo][]) void restore(quadrant, video);
}

/**
 * A video that no longer exists leaves its quadrant to others. A server that is away or busy says
 * nothing about the video.
 */
async function restore(quadrant: Quadrant, video: PinnedVideo): Promise<void> {
  delete missing[quadrant];
  if (feed.quadrants[quadrant].pinned) return;
  const { path, rendition: quality } = video;
  try {
    const { url, rendition } = await call(resolveVideoUrl, { body: { path, quadrant, quality } });
    machines[quadrant].send({ type: 'place', video: { ...video, url, rendition }, at: 0, isPinned: true });
  } catch (failure) {
    if (!(failure instanceof HttpError && failure.status === 404)) missing[quadrant] = video;
  }
}

function readPins(): VenueGrid['pins'] {
  const pins: VenueGrid['pins'] = {};
  for (const quadrant of quadrants) {
    const { pinned } = feed.quadrants[quadrant];
    if (!pinned) continue;
    const { url: _, ...video } = pinned.video;
    pins[quadrant] = video;
  }
  return pins;
}

function readGrid(): VenueGrid | null {
  const { filters, pins, expanded } = (readPart('grid') ?? {}) as Partial<VenueGrid>;
  if (typeof pins !== 'object' || pins === null) return null;
  const own = quadrants.filter((quadrant) => isVideo(pins[quadrant]));
  return {
    filters: typeof filters === 'object' && filters !== null ? filters : {},
    pins: Object.fromEntries(own.map((quadrant) => [quadrant, pins[quadrant]])),
    expanded: quadrants.find((quadrant) => quadrant === expanded) ?? null,
  };
}

function isVideo(value: unknown): value is PinnedVideo {
  const { id, path, title, renditions, tagIds } = (value ?? {}) as Partial<PinnedVideo>;
  return [id, path, title].every((text) => typeof text === 'string') && [renditions, tagIds].every(Array.isArray);
}

const maxStillCharacters = 200_000;

/** Stores the stills of what is shown, for a start without a network. */
export async function storeStills(): Promise<void> {
  const stills: Partial<Record<Quadrant, string>> = {};
  for (const quadrant of quadrants) {
    const url = feed.quadrants[quadrant].shown?.posterUrl;
    // A saved video has its poster with it, at an address that the policy keeps from scripts.
    const still = url && !url.startsWith('blob:') ? await readImage(url).catch(() => null) : null;
    if (still !== null && still.length <= maxStillCharacters) stills[quadrant] = still;
  }
  if (Object.keys(stills).length > 0) storePart('stills', stills);
}

/** @returns data URLs */
export function readStills(): Partial<Record<Quadrant, string>> {
  const stored = (readPart('stills') ?? {}) as Partial<Record<Quadrant, unknown>>;
  const isImage = (still: unknown) => typeof still === 'string' && /^data:image\/[a-z]+;base64,/.test(still);
  return Object.fromEntries(Object.entries(stored).filter(([, still]) => isImage(still)));
}

async function readImage(url: string): Promise<string | null> {
  const response = await fetchWithinLimit(url, {}, limits.callTimeoutSeconds);
  if (!response.ok) return null;
  const image = await response.blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => resolve(null);
    reader.readAsDataURL(image);
  });
}
