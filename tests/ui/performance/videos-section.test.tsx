import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { VideosSection } from '#app/features/performance/videos-section.tsx';
import type { TroubledVideo } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { FakeAnswer } from '../admin/fake-server.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { draw, press, settle } from '../draw.tsx';
import { giveMedia } from '../ui/media/media-element.ts';
import { video as videoCard } from '../videos/library.ts';

const call = 'GET /api/admin/performance/videos';
let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let calls: string[];

beforeEach(() => {
  giveMedia();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  routes = {};
  ({ calls } = fakeServer(routes));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const troubled = (id: string, facts: Partial<TroubledVideo> = {}): TroubledVideo => ({
  id,
  filename: `${id}.mp4`,
  stall_events: 3,
  failures: 0,
  minutes: 12.4,
  ...facts,
});

const answer = (...videos: TroubledVideo[]) => {
  routes[call] = () => ({ json: { videos } });
};

const titles = () => [...document.querySelectorAll('[role="dialog"] h2')].map(({ textContent }) => textContent);

const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });

async function drawSection(words: string): Promise<HTMLElement> {
  const screen = await draw(<VideosSection window="15m" />);
  await appears(words);
  return screen;
}

const plays = (filename: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(titles()).toEqual([filename]);
  });

test('videos with trouble are those of the window, as the server orders them', async () => {
  answer(
    troubled('harbour', { stall_events: 1_031, failures: 2, minutes: 212.3 }),
    troubled('rain', { minutes: 0.24 }),
  );
  const screen = await drawSection('harbour.mp4');
  const rows = [...screen.querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  );
  expect(rows).toEqual([
    ['harbour.mp4', '1,031', '2', '212 min'],
    ['rain.mp4', '3', '0', '0.2 min'],
  ]);
  expect(calls).toEqual([`${call}?duration=15m`]);
});

test('where columns have no room, figures say what they count', async () => {
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query === '(max-width: 899px)' }));
  answer(troubled('harbour', { failures: 1 }));
  const screen = await drawSection('3 stalls');
  expect(screen.querySelector('tbody tr')?.textContent).toBe('harbour.mp43 stalls1 break12 min played');
});

test('a press plays the video, at the address that the server gives now', async () => {
  answer(troubled('harbour'));
  routes['GET /api/videos/harbour'] = () => ({ json: { video: videoCard('harbour') } });
  await drawSection('harbour.mp4');
  await press('Play harbour.mp4');
  await plays('harbour.mp4');
  await press('Close');
  expect(titles()).toEqual([]);
});

test('a video that cannot be played says so, until another one is chosen', async () => {
  answer(troubled('gone'), troubled('harbour'));
  routes['GET /api/videos/gone'] = () => ({ status: 404, json: { error: 'internal', message: 'Not found' } });
  routes['GET /api/videos/harbour'] = () => ({ json: { video: videoCard('harbour') } });
  await drawSection('gone.mp4');
  await press('Play gone.mp4');
  await appears('Failed to load video');
  await press('Play harbour.mp4');
  await plays('harbour.mp4');
  expect(document.body.textContent).not.toContain('Failed to load video');
  await press('Close');
});

function Chooser() {
  const [window, setWindow] = useState<'5m' | '1h'>('5m');
  return (
    <>
      <button type="button" onClick={() => setWindow('1h')}>
        1h
      </button>
      <VideosSection window={window} />
    </>
  );
}

test('another window is asked for at once; what is shown stays until its videos are there', async () => {
  answer(troubled('harbour'));
  const screen = await draw(<Chooser />);
  await appears('harbour.mp4');
  answer(troubled('rain'));
  await press('1h');
  expect(screen.textContent).toContain('.mp4');
  await appears('rain.mp4');
  expect(calls).toEqual([`${call}?duration=5m`, `${call}?duration=1h`]);
});

test('it is asked again with the dashboard', async () => {
  answer(troubled('harbour'));
  await drawSection('harbour.mp4');
  answer(troubled('rain'));
  await settle(() => void vi.advanceTimersByTime(limits.dashboardRefreshMs));
  await appears('rain.mp4');
});

test('without trouble it says so', async () => {
  answer();
  await drawSection('No video stalled or broke off in this window.');
});

test('a failure says why, and Retry asks again', async () => {
  routes[call] = () => ({ status: 500, json: { error: 'internal', message: 'The sums are gone.' } });
  await drawSection('Failed to load videos with trouble: The sums are gone.');
  answer(troubled('harbour'));
  await press('Retry');
  await appears('harbour.mp4');
});

test('without a network it waits for it', async () => {
  await drawSection('Waiting for network');
});
