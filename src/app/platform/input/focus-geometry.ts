export type Direction = 'left' | 'right' | 'up' | 'down';

/** The edges of a box in any unit, as `getBoundingClientRect` gives them. */
export type Box = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;

/** The overlap that is ignored: edges may touch, or overlap by half pixels. */
const tolerance = 1;
/**
 * The additional weight of the sideways distance, so that an element straight ahead counts as
 * nearer.
 */
const asideWeight = 1;
/** The weight of the distance between centres, which breaks ties. */
const middleWeight = 0.03;
/** CSS pixels, longer than any page. */
const farOff = 1_000_000;

/**
 * The index of the box that a step leads to, or -1 when there is none. A box that begins beyond the
 * edge and is no further aside than ahead comes first; without one, any box whose centre is further
 * in the direction. Every box can thus be reached in layouts of rows, and nearly always where boxes
 * are strewn at random.
 */
export function nearestBox(from: Box, boxes: readonly Box[], direction: Direction): number {
  const start = turn(from, direction);
  const turned = boxes.map((box) => turn(box, direction));
  const isBeyond = (box: Box) => box.left >= start.right - tolerance;
  const isFurther = (box: Box) => middleX(box) > middleX(start) + tolerance;
  // A button inside of a field is a step to the side before whatever stands beside the field.
  const isInside = (box: Box) => isFurther(box) && box.right <= start.right + tolerance && aside(start, box) === 0;
  const inside = direction === 'right' ? closest(start, turned, isInside) : -1;
  if (inside >= 0) return inside;
  const ahead = closest(
    start,
    turned,
    (box) => isBeyond(box) && aside(start, box) <= box.left - start.right + tolerance,
  );
  return ahead >= 0 ? ahead : closest(start, turned, isFurther);
}

/** Whether two boxes stand in one row: the centre of one is beside the other. */
export function areInOneRow(one: Box, other: Box): boolean {
  const isBeside = (box: Box, peer: Box) => middleY(box) > peer.top && middleY(box) < peer.bottom;
  return isBeside(one, other) || isBeside(other, one);
}

/** The box moved so far against the direction that all others are ahead of it. */
export function beforeAll({ left, top, right, bottom }: Box, direction: 'up' | 'down'): Box {
  const y = direction === 'up' ? farOff : -farOff;
  return { left, right, top: top + y, bottom: bottom + y };
}

/** Rotates the plane so that the direction is to the right. */
function turn({ left, top, right, bottom }: Box, direction: Direction): Box {
  switch (direction) {
    case 'left':
      return { left: -right, right: -left, top, bottom };
    case 'up':
      return { left: -bottom, right: -top, top: left, bottom: right };
    case 'down':
      return { left: top, right: bottom, top: left, bottom: right };
    default:
      return { left, top, right, bottom };
  }
}

function closest(start: Box, boxes: readonly Box[], isCandidate: (box: Box) => boolean): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  boxes.forEach((box, at) => {
    if (!isCandidate(box)) return;
    const distance = distanceTo(start, box);
    if (distance >= least) return;
    least = distance;
    best = at;
  });
  return best;
}

function distanceTo(start: Box, box: Box): number {
  const ahead = Math.max(0, box.left - start.right);
  const side = aside(start, box);
  return Math.hypot(ahead, side) + side * asideWeight + Math.abs(middleY(box) - middleY(start)) * middleWeight;
}

/** The distance across the direction; 0 when the two overlap in it. */
function aside(start: Box, box: Box): number {
  return Math.max(0, box.top - start.bottom, start.top - box.bottom);
}

const middleX = ({ left, right }: Box) => (left + right) / 2;
const middleY = ({ top, bottom }: Box) => (top + bottom) / 2;
