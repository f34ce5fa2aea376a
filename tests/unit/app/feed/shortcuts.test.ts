import { expect, test } from 'vitest';
import { isSkip } from '#app/features/feed/shortcuts.ts';

const key = (name: string, held: object = {}) => ({ key: name, altKey: false, ctrlKey: false, metaKey: false, ...held });

test.each(['ArrowRight', 'MediaTrackNext'])('%s skips the focused quadrant', (name) => {
  expect(isSkip(key(name))).toBe(true);
});

test('keys that belong to the browser skip nothing', () => {
  expect(isSkip(key('ArrowRight', { altKey: true }))).toBe(false);
  expect(isSkip(key('Tab'))).toBe(false);
});
