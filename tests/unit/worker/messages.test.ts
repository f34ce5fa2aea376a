import { expect, test } from 'vitest';
import { isMessage } from '#device/messages.ts';

test('the worker does what the page says, and nothing else', () => {
  expect(isMessage({ type: 'SKIP_WAITING' }, 'SKIP_WAITING')).toBe(true);
  expect(isMessage({ type: 'FINISH_UPLOADS' }, 'FINISH_UPLOADS')).toBe(true);
  expect(isMessage({ type: 'FINISH_UPLOADS' }, 'SKIP_WAITING')).toBe(false);
});

test.each([null, undefined, 'SKIP_WAITING', 7, {}, { type: 'skip' }, []])('the worker ignores %j', (data) => {
  expect(isMessage(data, 'SKIP_WAITING')).toBe(false);
});
