import type { Quadrant } from '#contract/quadrants.ts';

export type ShortcutAct = 'seek-back' | 'seek-forward' | 'mute' | 'pin';

export interface Shortcut {
  quadrant: Quadrant;
  act: ShortcutAct;
}

/** §2 Feed: the sixteen, one quadrant a row, in the order of `acts`. */
const keys: Record<Quadrant, readonly [string, string, string, string]> = {
  'top-left': ['q', '1', 'a', 'z'],
  'top-right': ['w', '2', 's', 'x'],
  'bottom-left': ['e', '3', 'd', 'c'],
  'bottom-right': ['r', '4', 'f', 'v'],
};

export const acts: readonly ShortcutAct[] = ['seek-back', 'seek-forward', 'mute', 'pin'];

const shortcuts = new Map<string, Shortcut>(
  Object.entries(keys).flatMap(([quadrant, row]) =>
    row.map((key, at) => [key, { quadrant: quadrant as Quadrant, act: acts[at] as ShortcutAct }] as const),
  ),
);

type Press = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** What one of the sixteen keys does. A held modifier makes it the browser's or the system's. */
export function shortcutOf(press: Press): Shortcut | null {
  if (isModified(press)) return null;
  return shortcuts.get(press.key.toLowerCase()) ?? shortcuts.get(digitOf(press.code)) ?? null;
}

/** §2 Feed: the key that shows the statistics. */
export function isStatisticsKey(press: Press): boolean {
  return press.key.toLowerCase() === 'i' && !isModified(press);
}

/** The key for help with the keys: a sign, whichever modifiers a keyboard needs for it. */
export function isHelpKey({ key, altKey, ctrlKey, metaKey }: Press): boolean {
  return key === '?' && !altKey && !ctrlKey && !metaKey;
}

/** The key as it is printed, for the hint on a button. */
export function keyFor(quadrant: Quadrant, act: ShortcutAct): string {
  return keys[quadrant][acts.indexOf(act)]?.toUpperCase() ?? '';
}

function isModified({ altKey, ctrlKey, metaKey, shiftKey }: Press): boolean {
  return altKey || ctrlKey || metaKey || shiftKey;
}

/** Where digits need Shift (French keyboards), the key in their place is meant. */
function digitOf(code: string): string {
  return /^Digit[1-4]$/.test(code) ? code.slice(-1) : '';
}
