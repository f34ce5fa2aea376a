import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AdminScreen } from '#app/features/admin/admin-screen.tsx';
import { ReportsCard } from '#app/features/admin/library/reports-card.tsx';
import { recovered } from '#app/platform/link.ts';
import { connection } from '#app/state/connection.ts';
import { openReports } from '#app/state/video-sets.ts';
import type { ReportedVideo } from '#contract/entities/library.ts';
import { button, draw, press, settle } from '../draw.tsx';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();

const reported = (path: string, facts: Partial<ReportedVideo> = {}): ReportedVideo => ({
  id: path,
  root: 'Films',
  path,
  filename: path,
  poster_url: null,
  count: 1,
  reports: [{ reason: 'unplayable', text: '', at: yesterday(), by: null }],
  ...facts,
});

let videos: ReportedVideo[];
let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let calls: string[];

const listReports = () => ({ json: { videos, total: videos.length, total_pages: 1, page: 1, limit: 20 } });

beforeEach(() => {
  videos = [reported('kelp.mp4'), reported('dunes.mp4')];
  routes = { 'GET /api/admin/reports': listReports };
  calls = fakeServer(routes).calls;
});

afterEach(async () => {
  await settle(() => {
    connection.isReachable = true;
    openReports.videos = 0;
  });
  vi.unstubAllGlobals();
});

const text = () => document.body.textContent;
const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(text()).toContain(words);
  });
const rows = () => [...document.querySelectorAll('[aria-label="Reports"] > li bdi:first-child')];
const names = () => rows().flatMap((one) => (one.textContent?.endsWith('.mp4') ? [one.textContent] : []));

/** The server does as it is told, and lists what is left. */
const settleOn = (route: string, path: string) => {
  routes[route] = () => {
    videos = videos.filter((video) => video.path !== path);
    return { status: 204 };
  };
};

test('a reported video has its latest reports, with their words, when and by whom', async () => {
  const own = { reason: 'other', text: 'It is mine.', at: yesterday(), by: 'Bob' } as const;
  videos = [reported('kelp.mp4', { count: 8, reports: [own, { ...own, reason: 'rights', text: '', by: null }] })];
  await draw(<ReportsCard />);
  await appears('Something else: It is mine., 1 day ago');
  for (const words of ['Films, 8 reports', 'by Bob', 'Rights, 1 day ago', 'by somebody', 'and 6 more'])
    expect(text()).toContain(words);
});

test('dismissing the reports of a video, and hiding one, takes it off the list and out of the number', async () => {
  await draw(<AdminScreen title="Administration" notice={null} />);
  await appears('Library (2)');
  await draw(<ReportsCard />);
  await appears('dunes.mp4');
  settleOn('DELETE /api/admin/videos/kelp.mp4/reports', 'kelp.mp4');
  await press('Dismiss the reports of kelp.mp4');
  expect(names()).toEqual(['dunes.mp4']);
  await appears('Library (1)');
  settleOn('PUT /api/admin/videos/dunes.mp4/hidden', 'dunes.mp4');
  await press('Hide video dunes.mp4');
  await appears('No video is reported. What viewers report is listed here.');
  expect(text()).not.toContain('Library (');
  expect(calls).toEqual(expect.arrayContaining(['PUT /api/admin/videos/dunes.mp4/hidden']));
});

test('a video stays on the list with the reason when its reports cannot be dismissed', async () => {
  await draw(<ReportsCard />);
  await appears('kelp.mp4');
  routes['DELETE /api/admin/videos/kelp.mp4/reports'] = () => ({
    status: 500,
    json: { error: 'internal', message: 'The database does not answer.' },
  });
  await press('Dismiss the reports of kelp.mp4');
  await appears('The database does not answer.');
  expect(names()).toEqual(['kelp.mp4', 'dunes.mp4']);
});

test('the list says why it failed, and is tried again', async () => {
  routes['GET /api/admin/reports'] = () => ({ status: 500, json: { error: 'internal', message: 'Broken.' } });
  await draw(<ReportsCard />);
  await appears('Failed to load the reports: Broken.');
  routes['GET /api/admin/reports'] = listReports;
  await press('Retry');
  await appears('kelp.mp4');
});

test('without a network the list waits and comes by itself, and nothing can be done about a video', async () => {
  delete routes['GET /api/admin/reports'];
  await draw(<ReportsCard />);
  await appears('Waiting for network');
  routes['GET /api/admin/reports'] = listReports;
  await settle(() => recovered.emit());
  await appears('kelp.mp4');
  await settle(() => {
    connection.isReachable = false;
  });
  expect([button('Hide video kelp.mp4').disabled, button('Dismiss the reports of kelp.mp4').disabled]).toEqual([
    true,
    true,
  ]);
});

test('reports of a video that has left the library meanwhile are gone without a failure', async () => {
  await draw(<ReportsCard />);
  await appears('kelp.mp4');
  routes['DELETE /api/admin/videos/kelp.mp4/reports'] = () => {
    videos = videos.filter(({ path }) => path !== 'kelp.mp4');
    return { status: 404, json: { error: 'not_found', message: 'There is no such video.' } };
  };
  await press('Dismiss the reports of kelp.mp4');
  await vi.waitFor(async () => {
    await settle();
    expect(calls.filter((call) => call.startsWith('GET /api/admin/reports'))).toHaveLength(2);
  });
  expect(names()).toEqual(['dunes.mp4']);
  expect(text()).not.toContain('There is no such video.');
});
