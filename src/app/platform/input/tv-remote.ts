import { tvInput } from '../capabilities.ts';

/** Keys that the app uses and that a Tizen TV sends only after registration. Arrows, OK and Back need none. */
const wanted = [
  'ColorF0Red',
  'ColorF1Green',
  'ColorF2Yellow',
  'ColorF3Blue',
  'Info',
  'Tools',
  'MediaPlayPause',
  'MediaPlay',
  'MediaPause',
  'MediaStop',
  'MediaTrackPrevious',
  'MediaTrackNext',
  'MediaRewind',
  'MediaFastForward',
];

/**
 * Registers those of our keys that the remote of a Tizen TV has. Does nothing in a TV's browser and everywhere else.
 */
export function registerRemoteKeys(): void {
  const input = tvInput();
  if (!input) return;
  try {
    const present = new Set(input.getSupportedKeys().map(({ name }) => name));
    input.registerKeyBatch(wanted.filter((name) => present.has(name)));
  } catch {
    // The page lacks the privilege: only the keys without registration work.
  }
}
