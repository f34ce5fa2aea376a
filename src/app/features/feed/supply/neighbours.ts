import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { QuadrantRequest } from '../quadrant/quadrant-request.ts';

type Requests = Readonly<Record<Quadrant, QuadrantRequest>>;

/** Ids that the other three quadrants show or are about to show, and those that they have prepared. */
export function claimedElsewhere(requests: Requests, quadrant: Quadrant): string[] {
  return othersOf(quadrant).flatMap((other) => {
    const { coming, shown, next } = requests[other];
    return [coming ?? shown, next].flatMap((video) => video?.id ?? []);
  });
}

/** Ids that stand in the other three for a moment longer, while the next one is prepared. */
export function leavingElsewhere(requests: Requests, quadrant: Quadrant): string[] {
  return othersOf(quadrant).flatMap((other) => (requests[other].coming && requests[other].shown?.id) ?? []);
}

/** Seconds at which the other three are in one video, or will start it. */
export function positionsElsewhere(requests: Requests, quadrant: Quadrant, id: string, positionOf: (other: Quadrant) => number): number[] {
  return othersOf(quadrant).flatMap((other) => {
    const { coming, comingAt, shown } = requests[other];
    if (coming) return coming.id === id ? comingAt : [];
    return shown?.id === id ? positionOf(other) : [];
  });
}

function othersOf(quadrant: Quadrant): Quadrant[] {
  return quadrants.filter((other) => other !== quadrant);
}
