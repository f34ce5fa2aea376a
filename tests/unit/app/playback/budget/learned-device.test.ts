import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetLearned, readLearned, storeLearned } from '#app/playback/learned-device.ts';

const stored = new Map<string, string>();
const key = 'fourfold.decoders';

beforeEach(() => {
  vi.useFakeTimers();
  stored.clear();
  const localStorage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  };
  vi.stubGlobal('window', { localStorage });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('what a device could show is known for a week', () => {
  storeLearned('decoders', 2);
  expect(readLearned('decoders')).toBe(2);
  vi.setSystemTime(Date.now() + 6 * 24 * 3_600_000);
  expect(readLearned('decoders')).toBe(2);
  vi.setSystemTime(Date.now() + 2 * 24 * 3_600_000);
  expect(readLearned('decoders')).toBeNull();
});

test('what another version of the browser could show is not known', () => {
  storeLearned('decoders', 2);
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (SMART-TV; LINUX; Tizen 9.0)' });
  expect(readLearned('decoders')).toBeNull();
});

test('what was learned can be forgotten', () => {
  storeLearned('decoders', 2);
  forgetLearned('decoders');
  expect(readLearned('decoders')).toBeNull();
});

test.each(['', 'null', '[]', '{"decoders":0,"at":0}', '{"decoders":"4"}', '{"decoders":1.5}', 'garbage'])(
  'garbage is not believed: %s',
  (text) => {
    stored.set(key, text);
    expect(readLearned('decoders')).toBeNull();
  },
);

test('where nothing can be kept, nothing is known, and nothing breaks', () => {
  vi.stubGlobal('window', {
    get localStorage() {
      throw new DOMException('denied', 'SecurityError');
    },
  });
  storeLearned('decoders', 1);
  expect(readLearned('decoders')).toBeNull();
});

test('each fact is known for itself', () => {
  storeLearned('kbps', 7_500);
  expect(readLearned('kbps')).toBe(7_500);
  expect(readLearned('decoders')).toBeNull();
});
