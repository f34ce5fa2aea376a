import type { CorpusEntry, Quarter } from './corpus-entry.ts';
import { quarterColours } from './corpus-entry.ts';

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

export type SeenColours = Readonly<Record<Quarter, Colour>>;

/** Decoders take files that do not say their matrix for one of two, and small pictures are coded coarsely. */
const maxDifference = 45;
/** Of a hue, as a share: a tone mapping pales colours. */
const maxHueDifference = 0.4;

/** The quarter of the pattern whose colour each quarter has; those of another colour give it in figures. */
export function nameColours({ isHdr }: Pick<CorpusEntry, 'isHdr'>, seen: SeenColours): Record<Quarter, string> {
  const name = (colour: Colour) => {
    const known = Object.entries(quarterColours).find(([, pattern]) =>
      isHdr ? distance(toHue(colour), toHue(pattern)) <= maxHueDifference : distance(colour, pattern) <= maxDifference,
    );
    return known?.[0] ?? colour.join(' ');
  };
  const { topLeft, topRight, bottomLeft, bottomRight } = seen;
  return {
    topLeft: name(topLeft),
    topRight: name(topRight),
    bottomLeft: name(bottomLeft),
    bottomRight: name(bottomRight),
  };
}

/** What `nameColours` gives for the pattern itself. */
export const namedPattern: Record<Quarter, string> = {
  topLeft: 'topLeft',
  topRight: 'topRight',
  bottomLeft: 'bottomLeft',
  bottomRight: 'bottomRight',
};

function distance(one: Colour, other: Colour): number {
  return Math.max(...one.map((value, channel) => Math.abs(value - (other[channel] ?? 0))));
}

/** Without grey and brightness: the strongest channel is 1, the weakest 0. */
function toHue(colour: Colour): Colour {
  const [least, most] = [Math.min(...colour), Math.max(...colour)];
  const stretch = (value: number) => (most === least ? 0 : (value - least) / (most - least));
  return [stretch(colour[0]), stretch(colour[1]), stretch(colour[2])];
}
