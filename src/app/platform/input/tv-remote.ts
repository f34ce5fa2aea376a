import { tvInput } from '../capabilities.ts';

/** The keys that the app uses and that a Tizen TV sends only to those who ask. Arrows, OK and Back come unasked. */
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

/** Asks a Tizen TV for those of our keys that its remote has. In a TV's browser, and everywhere else, there is nobody to ask. */
export function registerRemoteKeys(): void {
  const input = tvInput();
  if (!input) return;
  try {
    const present = new Set(input.getSupportedKeys().map(({ name }) => name));
    input.registerKeyBatch(wanted.filter((name) => present.has(name)));
  } catch {
    // The page lacks the privilege: the keys that come unasked remain.
  }
}
