import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ViewersSection } from '#app/features/performance/performance-screen.tsx';
import { recovered } from '#app/platform/link.ts';
import type { ActiveViewer } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { FakeAnswer } from '../admin/fake-server.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { draw, press, settle } from '../draw.tsx';

const call = 'GET /api/admin/performance/viewers';
let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let calls: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 22, 12, 0), toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  routes = {};
  ({ calls } = fakeServer(routes));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  document.documentElement.dataset.form = 'desktop';
});

const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000).toISOString();

const viewer = (facts: Partial<ActiveViewer> = {}): ActiveViewer => ({
  form: 'desktop',
  address: '192.0.2.0/24',
  quadrants: 4,
  bandwidth_mbps: 18,
  stall_events: 0,
  since: minutesAgo(3),
  ...facts,
});

const answer = (total: number, ...viewers: ActiveViewer[]) => {
  routes[call] = () => ({ json: { total, viewers } });
};

async function drawSection(words: string): Promise<HTMLElement> {
  const screen = await draw(<ViewersSection />);
  await vi.waitFor(async () => {
    await settle();
    expect(screen.textContent).toContain(words);
  });
  return screen;
}

const rowsOf = (screen: HTMLElement) =>
  [...screen.querySelectorAll('tbody tr')].map((row) => [...row.children].map(({ textContent }) => textContent));

test('those who watch are listed by device and network, as the server orders them', async () => {
  answer(
    5,
    viewer({ form: 'tv', stall_events: 7, bandwidth_mbps: 22.44 }),
    viewer({ form: 'phone', address: '2001:db8:1234::/48', quadrants: 1 }),
    viewer({ form: 'tablet', since: minutesAgo(0) }),
    viewer(),
    viewer({ form: null, address: '' }),
  );
  const screen = await drawSection('5 viewers');
  expect(rowsOf(screen)).toEqual([
    ['TV', '192.0.2.0/24', '4', '22.4 Mbps', '7', '3 minutes ago'],
    ['Phone', '2001:db8:1234::/48', '1', '18 Mbps', '0', '3 minutes ago'],
    ['Tablet', '192.0.2.0/24', '4', '18 Mbps', '0', 'just now'],
    ['Desktop', '192.0.2.0/24', '4', '18 Mbps', '0', '3 minutes ago'],
    ['Unknown', 'Unknown', '4', '18 Mbps', '0', '3 minutes ago'],
  ]);
  expect(screen.textContent).toContain('without names, and writes none of them into a log.');
  expect(screen.textContent).not.toContain(' more');
});

test('where columns have no room, figures say what they count', async () => {
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query === '(max-width: 899px)' }));
  answer(1, viewer({ quadrants: 1, stall_events: 2 }));
  expect(rowsOf(await drawSection('1 viewer'))).toEqual([
    ['Desktop', '192.0.2.0/24', '1 quadrant', '18 Mbps', '2 stalls', '3 minutes ago'],
  ]);
});

test('of a crowd the first are listed, and the others counted', async () => {
  answer(1_234, ...Array.from({ length: limits.activeViewersListed }, () => viewer()));
  const screen = await drawSection('1,234 viewers');
  expect(rowsOf(screen)).toHaveLength(limits.activeViewersListed);
  expect(screen.textContent).toContain('1,134 more');
});

test('nobody is watching', async () => {
  answer(0);
  expect((await drawSection('Nobody is watching.')).textContent).toContain('0 viewers');
});

test('a failure says why, and Retry asks again', async () => {
  routes[call] = () => ({ status: 500, json: { error: 'internal', message: 'The meter is gone.' } });
  const screen = await drawSection('Failed to load who is watching: The meter is gone.');
  answer(1, viewer());
  await press('Retry');
  await vi.waitFor(() => expect(rowsOf(screen)).toHaveLength(1));
  expect(screen.textContent).not.toContain('Failed');
});

test('without a network it waits for it', async () => {
  const screen = await drawSection('Waiting for network');
  answer(1, viewer());
  await settle(() => recovered.emit());
  await vi.waitFor(() => expect(rowsOf(screen)).toHaveLength(1));
});

test('it is asked again with the dashboard', async () => {
  answer(1, viewer());
  const screen = await drawSection('1 viewer');
  answer(2, viewer(), viewer());
  await settle(() => void vi.advanceTimersByTime(limits.dashboardRefreshMs));
  await vi.waitFor(() => expect(rowsOf(screen)).toHaveLength(2));
  expect(calls).toHaveLength(2);
});

test('on a TV every row has the focus in turn, elsewhere none has', async () => {
  answer(2, viewer(), viewer());
  const reached = async () => (await drawSection('2 viewers')).querySelectorAll('tr[tabindex="0"]').length;
  expect(await reached()).toBe(0);
  document.documentElement.dataset.form = 'tv';
  expect(await reached()).toBe(2);
});
