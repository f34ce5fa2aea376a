import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { VenuesSection } from '#app/features/performance/venues-section.tsx';
import type { Venue } from '#contract/entities/performance.ts';
import type { FakeAnswer } from '../admin/fake-server.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { draw, press, settle } from '../draw.tsx';

const list = 'GET /api/admin/performance/venues';
let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let calls: string[];

beforeEach(() => {
  routes = {};
  ({ calls } = fakeServer(routes));
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000).toISOString();

const bar: Venue = {
  ...{ id: 'bar', name: 'Bar', state: 'open', playing: 3, version: '1.2.0', is_signed_out: false },
  ...{ since: minutesAgo(125), last_seen: minutesAgo(0) },
};

async function drawSection(venues: Venue[], words: string): Promise<HTMLElement> {
  routes[list] = () => ({ json: { venues } });
  const screen = await draw(<VenuesSection />);
  await vi.waitFor(async () => {
    await settle();
    expect(screen.textContent).toContain(words);
  });
  return screen;
}

test('each screen is listed with what it plays, since when, and when it was last seen', async () => {
  const screen = await drawSection(
    [
      bar,
      { ...bar, id: 'shop', name: 'Shop', state: 'silent', last_seen: minutesAgo(7) },
      { ...bar, id: 'hall', name: 'Hall', state: 'closed', is_signed_out: true },
    ],
    'Bar',
  );
  const rows = [...screen.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('th, td')].map((cell) => cell.textContent).slice(0, 5),
  );
  expect(rows).toEqual([
    ['Bar', '3 of 4', '2 hours ago', '1.2.0', 'just now'],
    ['Shop', 'Silent', '2 hours ago', '1.2.0', '7 minutes ago'],
    ['Hall', 'Closed, signed out', '2 hours ago', '1.2.0', 'just now'],
  ]);
});

test('without a venue it says so', async () => {
  await drawSection([], 'No screen is in venue mode.');
});

test('one is forgotten once that is confirmed, and a refusal is told', async () => {
  const screen = await drawSection([bar], 'Bar');
  const forget = 'DELETE /api/admin/performance/venues/bar';
  routes[forget] = () => ({ status: 500, json: { error: 'internal', message: 'The database is gone.' } });
  await press('Forget Bar');
  expect(document.body.textContent).toContain('Are you sure you want to take Bar off this list?');
  await press('Forget');
  await vi.waitFor(async () => {
    await settle();
    expect(screen.textContent).toContain('Failed to forget the venue: The database is gone.');
  });
  routes[forget] = () => ({ status: 204, json: null });
  routes[list] = () => ({ json: { venues: [] } });
  await press('Forget Bar');
  await press('Forget');
  await vi.waitFor(async () => {
    await settle();
    expect(screen.textContent).toContain('No screen is in venue mode.');
  });
  expect(calls.filter((call) => call === forget)).toHaveLength(2);
});
