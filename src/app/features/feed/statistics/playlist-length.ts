import { byQuadrant } from '#app/playback/by-quadrant.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';

type QuadrantStates = Readonly<Record<Quadrant, { readonly shown: { readonly matching: number } | null }>>;

interface PlaylistLengths {
  lengths: Record<Quadrant, number | undefined>;
  /** Rounded; undefined while no length is known. */
  average: number | undefined;
}

/** How many videos each quadrant draws from: what its last pick said, else all that are available. */
export function playlistLengths(states: QuadrantStates, available: number | undefined): PlaylistLengths {
  const lengths = byQuadrant((quadrant) => states[quadrant].shown?.matching ?? available);
  const known = quadrants.flatMap((quadrant) => lengths[quadrant] ?? []);
  const average =
    known.length === 0 ? undefined : Math.round(known.reduce((sum, length) => sum + length, 0) / known.length);
  return { lengths, average };
}
