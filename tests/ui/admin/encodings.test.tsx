import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AdminScreen } from '#app/features/admin/admin-screen.tsx';
import { EncodingsSection } from '#app/features/admin/encodings-section.tsx';
import { watchRemote } from '#app/shell/remote.ts';
import type { EncodingOverview } from '#contract/entities/library.ts';
import { draw, press, settle } from '../draw.tsx';
import { focusedName, pressKeys } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';

withRemote(watchRemote);

const call = 'GET /api/admin/encodings';
const fresh: EncodingOverview = {
  used_bytes: 0,
  budget_bytes: 50e9,
  free_bytes: 120e9,
  videos: 0,
  waiting: 0,
  failed: 0,
  running: [],
  encoder: 'libx264',
  is_hardware: false,
  maps_tones: true,
};
const running = { video_id: 'v', filename: 'pier.avi', progress: 41.6, paused_at: null, yields_since: null };

let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let server: ReturnType<typeof fakeServer>;

beforeEach(() => {
  routes = {};
  server = fakeServer(routes);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.documentElement.dataset.form = 'desktop';
});

const answerWith = (facts: Partial<EncodingOverview>) => {
  routes[call] = () => ({ json: { ...fresh, ...facts } });
};
const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });
async function drawEncodings(words: string): Promise<HTMLElement> {
  const screen = await draw(<EncodingsSection />);
  await appears(words);
  return screen;
}
const bars = () => [...document.querySelectorAll('[role="progressbar"]')];

test('it says what is used of what may be used, what is free, and how many videos have, await and lack an encoding', async () => {
  answerWith({ used_bytes: 3.2e9, videos: 1_204, waiting: 3 });
  const screen = await drawEncodings('3.2 GB used of 50 GB');
  for (const words of [
    '120 GB free on its disk',
    'With an encoding1,204',
    'Waiting3',
    'Failed0',
    'libx264',
    'Software',
    'The least recently played encodings are deleted first.',
  ])
    expect(screen.textContent).toContain(words);
  for (const words of ['HDR is tone mapped.', 'Nothing is encoded now.']) expect(screen.textContent).toContain(words);
  const bar = screen.querySelector<HTMLElement>('[style*="--share"]');
  expect(Number(bar?.style.getPropertyValue('--share'))).toBeCloseTo(0.064);
  expect(screen.textContent).not.toContain('Show in Jobs');
});

test('what runs shows how far it is, and that it is paused while videos stall, or while another one goes between', async () => {
  answerWith({
    running: [
      running,
      { ...running, video_id: 'w', filename: 'b.wmv', paused_at: '2026-11-23T03:00:00.000Z' },
      { ...running, video_id: 'x', filename: 'c.avi', yields_since: '2026-11-23T03:00:00.000Z' },
    ],
  });
  const screen = await drawEncodings('pier.avi');
  expect(bars().map((bar) => [bar.getAttribute('aria-label'), bar.getAttribute('aria-valuenow')])).toEqual([
    ['pier.avi', '42'],
    ['b.wmv', '42'],
    ['c.avi', '42'],
  ]);
  const rows = [...screen.querySelectorAll('[aria-label="Running"] li')].map(({ textContent }) => textContent);
  expect(rows[0]).toBe('pier.avi42 %');
  expect(rows[1]).toMatch(/^b\.wmv42 %Paused while videos stall, since /);
  expect(rows[2]).toMatch(/^c\.avi42 %Paused while a video that somebody waits for is encoded, since /);
});

test('it is read again every 5 s', async () => {
  vi.useFakeTimers();
  answerWith({ running: [running] });
  await draw(<EncodingsSection />);
  await act(() => vi.advanceTimersByTimeAsync(0));
  answerWith({ running: [{ ...running, progress: 60 }] });
  await act(() => vi.advanceTimersByTimeAsync(4_999));
  expect(document.body.textContent).toContain('42 %');
  await act(() => vi.advanceTimersByTimeAsync(1));
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(document.body.textContent).toContain('60 %');
  expect(server.calls).toEqual([call, call]);
});

test('hardware is named, and what becomes of HDR without tone mapping', async () => {
  answerWith({ encoder: 'h264_vaapi', is_hardware: true, maps_tones: false });
  const screen = await drawEncodings('h264_vaapi');
  for (const words of ['Hardware', 'HDR is converted without tone mapping'])
    expect(screen.textContent).toContain(words);
});

test('without an ffmpeg it says what that means', async () => {
  answerWith({ encoder: null, maps_tones: false });
  const screen = await drawEncodings('No ffmpeg works here');
  expect(screen.textContent).not.toContain('HDR');
});

test('nothing encoded yet, no room to use and a disk that does not answer are said', async () => {
  answerWith({ budget_bytes: 0, free_bytes: null });
  const screen = await drawEncodings('Nothing was encoded yet. A video is encoded when somebody needs it.');
  for (const words of ['0 bytes used of 0 bytes', 'Its disk does not say how much room is left.'])
    expect(screen.textContent).toContain(words);
});

test('without room the bar is full as soon as there is an encoding, and empty before', async () => {
  for (const [used_bytes, share] of [
    [0, '0'],
    [3.2e9, '1'],
  ] as const) {
    answerWith({ budget_bytes: 0, used_bytes });
    const screen = await drawEncodings('used of 0 bytes');
    expect(screen.querySelector<HTMLElement>('[style*="--share"]')?.style.getPropertyValue('--share')).toBe(share);
    document.body.innerHTML = '';
  }
});

test('where it cannot be read it says why, and tries again; without a network it waits', async () => {
  routes[call] = () => ({ status: 500, json: { error: 'internal', message: 'Out of order.' } });
  await drawEncodings('Failed to load encodings: Out of order.');
  answerWith({});
  await press('Retry');
  await appears('libx264');
});

test('without a network it waits', async () => {
  await drawEncodings('Waiting for network');
});

test('what failed is shown among the jobs', async () => {
  answerWith({ failed: 2 });
  const kind = { kind: 'encode', queued: 0, running: 1, failed: 2, done: 0, cancelled: 0 };
  const job = { id: 'j', kind: 'encode', state: 'running', progress: 40, attempts: 1, error: null, video_id: 'v' };
  const times = { created_at: '2026-11-23T03:00:00.000Z', started_at: null, finished_at: null };
  routes['GET /api/admin/jobs/kinds'] = () => ({ json: { kinds: [kind] } });
  routes['GET /api/admin/jobs'] = () => ({
    json: { jobs: [{ ...job, ...times }], total: 1, total_pages: 1, page: 1, limit: 20 },
  });
  routes['GET /users/admin'] = () => ({ json: { users: [], total: 0, total_pages: 1, page: 1, limit: 20 } });
  await draw(<AdminScreen title="Administration" notice={null} />);
  await press('Encodings');
  await appears('Show in Jobs');
  await press('Show in Jobs');
  await appears('1 running, 2 failed');
  expect(document.querySelector('[aria-current="page"]')?.textContent).toBe('Jobs');
  expect(document.querySelector('[role="progressbar"]')?.getAttribute('aria-label')).toBe('Encodings');
});

test('on a TV arrows lead through all of it', async () => {
  document.documentElement.dataset.form = 'tv';
  answerWith({ failed: 2, running: [running] });
  const screen = await drawEncodings('pier.avi');
  const reached = new Set<string | null | undefined>();
  await settle(() => screen.querySelector<HTMLElement>('section')?.focus());
  for (let steps = 0; steps < 6; steps += 1) {
    reached.add(focusedName()?.slice(0, 12));
    await pressKeys('ArrowDown');
  }
  expect([...reached]).toEqual(['Space0 bytes', 'Show in Jobs', 'EncoderSoftw', 'pier.avi42 %']);
});
