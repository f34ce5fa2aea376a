import type { BackLayer } from '#app/platform/input/back-stack.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import { playerOf } from '#app/playback/player/player.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import {
  closeQuadrantMenu,
  holdControls,
  releaseControls,
  sectionOf,
  showControls,
} from '../controls/controls-store.ts';
import { feed } from '../feed-state.ts';
import type { FeedVideo } from './quadrant.ts';
import { machines } from './quadrant-machine.ts';

/** What a quadrant shows, or is about to show. */
interface Placement {
  video: FeedVideo;
  /** Seconds into it. */
  at: number;
  isPinned: boolean;
}

/** What has to be known of the feed to tell whether videos can change places. */
interface Places {
  readonly expanded: Quadrant | null;
  readonly quadrants: Readonly<Record<Quadrant, { readonly shown: unknown }>>;
}

/** Videos change places while all four are in sight. */
export function canMove({ expanded, quadrants: states }: Places): boolean {
  return expanded === null && quadrants.every((quadrant) => states[quadrant].shown !== null);
}

/**
 * Moves a video to another quadrant, whose own comes here: each goes on at its second, and a pin goes with its video.
 */
export function move(from: Quadrant, to: Quadrant): void {
  const [mine, theirs] = [placementOf(from), placementOf(to)];
  if (!mine || !theirs) return;
  machines[from].send({ type: 'place', ...theirs });
  machines[to].send({ type: 'place', ...mine });
}

function placementOf(quadrant: Quadrant): Placement | null {
  const { activity, shown, pinned, isGivenAway } = feed.quadrants[quadrant];
  const isPinned = pinned !== null;
  if (activity.kind === 'coming') return { video: activity.video, at: activity.at, isPinned };
  if (isGivenAway) return pinned && { ...pinned, isPinned };
  return shown && { video: shown, at: playerOf(quadrant).position, isPinned };
}

/** A drag that has begun. The sections have attributes for their styles: nothing of it goes through React. */
interface Drag {
  from: Quadrant;
  over: Quadrant | null;
  layer: BackLayer;
}

let drag: Drag | null = null;

/** Begins to drag the video of a quadrant, if videos can change places. Back cancels it. */
export function startDrag(quadrant: Quadrant): void {
  cancelDrag();
  if (!canMove(feed)) return;
  closeQuadrantMenu();
  drag = { from: quadrant, over: null, layer: backStack().open(cancelDrag) };
  holdControls();
  mark(quadrant, 'lifted');
}

/**
 * The video follows the pointer, and the quadrant that it would change places with is marked.
 * @param x @param y of the pointer in the window, CSS pixels
 */
export function dragTo(x: number, y: number): void {
  if (!drag) return;
  const section = sectionOf(drag.from);
  const { left, top, width, height } = section?.getBoundingClientRect() ?? new DOMRect();
  section?.style.setProperty('--drag-x', `${x - left - width / 2}px`);
  section?.style.setProperty('--drag-y', `${y - top - height / 2}px`);
  const under = quadrants.find((quadrant) => isIn(quadrant, x, y)) ?? null;
  if (drag.over !== null) mark(drag.over, null);
  drag.over = under === drag.from ? null : under;
  if (drag.over !== null) mark(drag.over, 'target');
}

/** Over another quadrant the two change places; anywhere else the video goes back to its own. */
export function endDrag(): void {
  const { from, over } = drag ?? {};
  cancelDrag();
  if (!from || !over) return;
  move(from, over);
  showControls(over, 'pointer');
}

/** Leaves everything as it was. */
export function cancelDrag(): void {
  if (!drag) return;
  const { from, over, layer } = drag;
  drag = null;
  layer.close();
  mark(from, null);
  if (over !== null) mark(over, null);
  releaseControls();
}

function mark(quadrant: Quadrant, role: 'lifted' | 'target' | null): void {
  const section = sectionOf(quadrant);
  if (role === null) section?.removeAttribute('data-drag');
  else section?.setAttribute('data-drag', role);
}

function isIn(quadrant: Quadrant, x: number, y: number): boolean {
  const box = sectionOf(quadrant)?.getBoundingClientRect();
  return box !== undefined && x >= box.left && x < box.right && y >= box.top && y < box.bottom;
}
