import type { BackLayer } from '#app/platform/input/back-stack.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import { shake } from '#app/platform/later-capabilities.ts';
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

/** The video that a quadrant shows or is about to show. */
interface Placement {
  video: FeedVideo;
  /** Position in seconds. */
  at: number;
  isPinned: boolean;
}

/** The part of the feed's state that decides whether videos can be moved. */
interface Places {
  readonly expanded: Quadrant | null;
  readonly quadrants: Readonly<Record<Quadrant, { readonly shown: unknown }>>;
}

/** Videos can be moved while all four are visible. */
export function canMove({ expanded, quadrants: states }: Places): boolean {
  return expanded === null && quadrants.every((quadrant) => states[quadrant].shown !== null);
}

/** Swaps the videos of two quadrants: each continues at its position, and keeps its pin. */
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

/** A drag in progress. Attributes of the sections style it, without React. */
interface Drag {
  from: Quadrant;
  over: Quadrant | null;
  layer: BackLayer;
}

let drag: Drag | null = null;

/** Begins to drag the video of a quadrant, if videos can be moved. Back cancels it. */
export function startDrag(quadrant: Quadrant): void {
  cancelDrag();
  if (!canMove(feed)) return;
  closeQuadrantMenu();
  drag = { from: quadrant, over: null, layer: backStack().open(cancelDrag) };
  holdControls();
  mark(quadrant, 'lifted');
}

/**
 * Moves the video with the pointer, and marks the quadrant that it would be swapped with.
 * @param x of the pointer in the window, CSS pixels
 * @param y of the pointer in the window, CSS pixels
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

/** Drops the video: over another quadrant the two are swapped, elsewhere it returns to its own. */
export function endDrag(): void {
  const { from, over } = drag ?? {};
  cancelDrag();
  if (!from || !over) return;
  move(from, over);
  shake();
  showControls(over, 'pointer');
}

/** Cancels the drag; every video stays in its quadrant. */
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
