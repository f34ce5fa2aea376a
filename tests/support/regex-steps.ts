/** A part of a pattern; what follows it is given when it is tried. */
type Part =
  | { kind: 'sign'; fits: (sign: string) => boolean }
  | { kind: 'start' | 'end' }
  | { kind: 'edge'; isEdge: boolean }
  | { kind: 'ahead'; wanted: boolean; body: Part }
  | { kind: 'all' | 'any'; parts: Part[] }
  | { kind: 'repeat'; body: Part; least: number; most: number; isLazy: boolean };

/** Thrown where a pattern has what no pattern of ours needs. */
export class UnknownPattern extends Error {}

const maxSteps = 2_000_000;
const parsed = new Map<string, Part>();

/**
 * How many steps a backtracking matcher takes to find the pattern in a text, from a position on: one for each part that
 * is tried at each position. No clock is asked, and none of V8's shortcuts is counted on.
 * @returns at most two million
 */
export function countRegexSteps({ source, flags }: RegExp, text: string, from: number): number {
  const key = `${flags}/${source}`;
  const pattern = parsed.get(key) ?? parsePattern(source, flags);
  parsed.set(key, pattern);
  const steps = { taken: 0 };
  const lastStart = flags.includes('y') ? from : text.length;
  for (let at = from; at <= lastStart; at += 1)
    if (matches(pattern, text, at, flags, steps, () => true) || steps.taken >= maxSteps) break;
  return Math.min(steps.taken, maxSteps);
}

function matches(
  part: Part,
  text: string,
  at: number,
  flags: string,
  steps: { taken: number },
  next: (at: number) => boolean,
): boolean {
  steps.taken += 1;
  if (steps.taken >= maxSteps) return true;
  const isMultiline = flags.includes('m');
  switch (part.kind) {
    case 'sign':
      return at < text.length && part.fits(signAt(text, at, flags)) && next(at + signAt(text, at, flags).length);
    case 'start':
      return (at === 0 || (isMultiline && text[at - 1] === '\n')) && next(at);
    case 'end':
      return (at === text.length || (isMultiline && text[at] === '\n')) && next(at);
    case 'edge':
      return (isWord(text[at - 1]) !== isWord(text[at])) === part.isEdge && next(at);
    case 'ahead':
      return matches(part.body, text, at, flags, steps, () => true) === part.wanted && next(at);
    case 'any':
      return part.parts.some((one) => matches(one, text, at, flags, steps, next));
    case 'all':
      return matchAll(part.parts, 0, text, at, flags, steps, next);
    case 'repeat':
      return part.body.kind === 'sign'
        ? repeatSign(part, part.body.fits, text, at, flags, steps, next)
        : repeat(part, 0, text, at, flags, steps, next);
  }
}

type Tried = [text: string, at: number, flags: string, steps: { taken: number }, next: (at: number) => boolean];

function matchAll(parts: readonly Part[], index: number, ...[text, at, flags, steps, next]: Tried): boolean {
  const part = parts[index];
  return part === undefined
    ? next(at)
    : matches(part, text, at, flags, steps, (then) => matchAll(parts, index + 1, text, then, flags, steps, next));
}

function repeat(part: Part & { kind: 'repeat' }, count: number, ...[text, at, flags, steps, next]: Tried): boolean {
  const again = () =>
    count < part.most &&
    matches(
      part.body,
      text,
      at,
      flags,
      steps,
      (then) => then > at && repeat(part, count + 1, text, then, flags, steps, next),
    );
  const on = () => count >= part.least && next(at);
  return part.isLazy ? on() || again() : again() || on();
}

/** Without a call for each sign: texts are long. */
function repeatSign(
  { least, most, isLazy }: Part & { kind: 'repeat' },
  fits: (sign: string) => boolean,
  ...[text, at, flags, steps, next]: Tried
): boolean {
  const ends = [at];
  for (let end = at; ends.length <= most && end < text.length && fits(signAt(text, end, flags)); ) {
    end += signAt(text, end, flags).length;
    ends.push(end);
    steps.taken += 1;
  }
  const counts = Array.from(ends, (_, count) => count).slice(least);
  return (isLazy ? counts : counts.toReversed()).some((count) => {
    steps.taken += 1;
    return steps.taken >= maxSteps || next(ends[count] ?? at);
  });
}

function signAt(text: string, at: number, flags: string): string {
  return flags.includes('u') ? String.fromCodePoint(text.codePointAt(at) ?? 0) : (text[at] ?? '');
}

function isWord(sign: string | undefined): boolean {
  return sign !== undefined && /\w/.test(sign);
}

/** @throws UnknownPattern */
function parsePattern(source: string, flags: string): Part {
  let at = 0;
  const take = (wanted: string) => {
    if (!source.startsWith(wanted, at)) return false;
    at += wanted.length;
    return true;
  };

  const parseAny = (): Part => {
    const parts = [parseAll()];
    while (take('|')) parts.push(parseAll());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'any', parts };
  };
  const parseAll = (): Part => {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(parseRepeat(parseOne()));
    return { kind: 'all', parts };
  };
  const parseRepeat = (body: Part): Part => {
    const [found, braces, least, comma, most] = /^(?:[*+?]|(\{)(\d+)(,?)(\d*)\})/.exec(source.slice(at)) ?? [];
    if (found === undefined) return body;
    at += found.length;
    const upTo = comma === '' ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most);
    const bounds =
      braces === undefined
        ? { least: found === '+' ? 1 : 0, most: found === '?' ? 1 : Number.POSITIVE_INFINITY }
        : { least: Number(least), most: upTo };
    return { kind: 'repeat', body, ...bounds, isLazy: take('?') };
  };
  const parseGroup = (): Part => {
    const ahead = take('?=') ? true : take('?!') ? false : null;
    if (ahead === null && !take('?:')) refuseUnknown(/^\?(?!<\w+>)/.test(source.slice(at)), source);
    const [name = ''] = /^\?<\w+>/.exec(source.slice(at)) ?? [];
    at += name.length;
    const body = parseAny();
    take(')');
    return ahead === null ? body : { kind: 'ahead', wanted: ahead, body };
  };
  const parseOne = (): Part => {
    if (take('^')) return { kind: 'start' };
    if (take('$')) return { kind: 'end' };
    if (take('\\b')) return { kind: 'edge', isEdge: true };
    if (take('(')) return parseGroup();
    const [sign = ''] =
      /^(?:\[\^?\]?(?:\\.|[^\]\\])*\]|\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[pP]\{[^}]*\}|.)|.)/su.exec(
        source.slice(at),
      ) ?? [];
    refuseUnknown(/^\\[1-9kB]/.test(sign), source);
    at += sign.length;
    return { kind: 'sign', fits: fitsOnce(new RegExp(`^(?:${sign})$`, flags.replaceAll(/[gym]/g, ''))) };
  };
  return parseAny();
}

function refuseUnknown(isUnknown: boolean, source: string): void {
  if (isUnknown) throw new UnknownPattern(`/${source}/ has a part whose steps are not counted`);
}

function fitsOnce(pattern: RegExp): (sign: string) => boolean {
  const known = new Map<string, boolean>();
  return (sign) => {
    const fits = known.get(sign) ?? pattern.test(sign);
    known.set(sign, fits);
    return fits;
  };
}
