import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeStorage } from '../../platform/fake-storage.ts';

let storage: Storage;

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
  storage = fakeStorage();
  vi.stubGlobal('window', { localStorage: storage });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const load = () => import('#app/state/venue-setup.ts');

async function loadWithPin(pin: string) {
  const setup = await load();
  setup.changeSetup({ pin });
  return setup;
}

test('five PINs are free, each further one waits a minute, also after a reload', async () => {
  const { tryPin } = await loadWithPin('1234');
  for (let count = 0; count < 5; count += 1) expect(tryPin('0000')).toBe('wrong');
  expect(tryPin('1234')).toBe(60);
  vi.advanceTimersByTime(20_000);
  vi.resetModules();
  const again = await load();
  expect(again.tryPin('1234')).toBe(40);
  vi.advanceTimersByTime(40_000);
  expect(again.tryPin('0000')).toBe('wrong');
  expect(again.tryPin('1234')).toBe(60);
  vi.advanceTimersByTime(60_000);
  expect(again.tryPin('1234')).toBe('right');
  expect(again.tryPin('0000')).toBe('wrong');
  expect(again.tryPin('1234')).toBe('right');
});

test('a clock that is set back locks nobody out', async () => {
  const { tryPin } = await loadWithPin('1234');
  for (let count = 0; count < 5; count += 1) tryPin('0000');
  vi.setSystemTime(Date.now() - 86_400_000);
  expect(tryPin('1234')).toBe('right');
});

const usual = { name: 'Venue', hours: null, pin: null, hasAccount: false };

test.each([
  ['nothing', null],
  ['no JSON', '{'],
  ['another type', '"Bar"'],
  ['invalid fields', JSON.stringify({ id: 7, name: [], hours: { opens: -1, closes: 3 }, pin: '12 4', hasAccount: 1 })],
  ['hours of no day', JSON.stringify({ name: '   ', hours: { opens: 0, closes: 1_440 }, pin: '123456789' })],
])('stored %s gives the usual setup, and an id', async (_, stored) => {
  if (stored !== null) storage.setItem('fourfold.venue-setup', stored);
  const { venueSetup } = await load();
  expect(venueSetup).toEqual({ ...usual, id: expect.stringMatching(/^\w+$/) });
});

test('what is stored is read again, and the id stays', async () => {
  const { changeSetup, venueSetup } = await load();
  changeSetup({ name: 'Bar', hours: { opens: 480, closes: 60 }, pin: '0042' });
  vi.resetModules();
  expect((await load()).venueSetup).toEqual(venueSetup);
});

test('names are cut, and blank ones are the usual one', async () => {
  const { toVenueName } = await load();
  expect(toVenueName('\u202eBar\u0000')).toBe('Bar');
  expect([toVenueName('  Bar '), toVenueName(' '), toVenueName('x'.repeat(99))]).toEqual([
    'Bar',
    'Venue',
    'x'.repeat(40),
  ]);
});

test('where storage is blocked it lasts as long as the page', async () => {
  vi.stubGlobal('window', {
    get localStorage() {
      throw new Error('blocked');
    },
  });
  const { changeSetup, storePart, tryPin, venueSetup } = await load();
  changeSetup({ name: 'Bar', pin: '1234' });
  expect([venueSetup.name, tryPin('1234'), storePart('reloads', [])]).toEqual(['Bar', 'right', false]);
});
