/**
 * Keys of a quadrant that has the focus, or in which something has it. The sixteen letters of §2 know no skip: Enter or Space on
 * the skip button does it, and so do these, in the direction in which a list of videos runs.
 */
const skipKeys = new Set(['ArrowRight', 'MediaTrackNext']);

export function isSkip(event: Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey'>): boolean {
  return skipKeys.has(event.key) && !event.altKey && !event.ctrlKey && !event.metaKey;
}
