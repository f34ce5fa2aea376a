import { expect, test } from 'vitest';
import { isUpdateAccepted } from '#device/messages.ts';

test('the worker takes over when the page says so', () => {
  expect(isUpdateAccepted({ type: 'SKIP_WAITING' })).toBe(true);
});

test.each([null, undefined, 'SKIP_WAITING', 7, {}, { type: 'skip' }, []])('the worker ignores %j', (data) => {
  expect(isUpdateAccepted(data)).toBe(false);
});
