import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import { qualityHost } from '#app/features/feed/monitors.ts';
import { setPaused, setPinned } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { latestQuality, startSampler } from '#app/playback/health/quality-sampler.ts';
import { storeLearned } from '#app/playback/learned-device.ts';
import { kbpsFor, setShares } from '#app/playback/media-budget.ts';
import { playerOf } from '#app/playback/player/player.ts';
import { QualityControl } from '#app/playback/quality/quality-control.ts';
import { toSharer } from '#app/playback/quality/rendition-choice.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { countCalls } from '#tests/support/count-calls.ts';
import { fakeStorage } from '../../platform/fake-storage.ts';
import { picked } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

let stage: FeedStage;
let stop: () => void;
/** What was asked of the server. */
let questions: { path: string; quadrant: string; quality: string }[];
/** What it answers with; null: an error. */
let given: string | null;

const renditions = [
  { name: 'grid', bytes: 9_000_000, width: 960, height: 540 },
  { name: 'hd', bytes: 33_750_000, width: 1920, height: 1080 },
];

class QuietObserver {
  observe(): void {}
  disconnect(): void {}
}

beforeEach(async () => {
  stage = new FeedStage();
  Object.assign(window, { localStorage: fakeStorage(), devicePixelRatio: 1 });
  vi.stubGlobal('PerformanceObserver', QuietObserver);
  const library = globalThis.fetch;
  questions = [];
  given = '/stream/hd';
  vi.stubGlobal('fetch', async (address: string, options: RequestInit) => {
    if (!address.endsWith('/video-url')) return library(address, options);
    const question = JSON.parse(String(options.body));
    questions.push(question);
    if (given === null) return new Response('{"error":"internal"}', { status: 500 });
    const reply = { url: given, rendition: question.quality, width: 1920, height: 1080, bitrate_bps: 4_500_000 };
    return new Response(JSON.stringify(reply));
  });
  stage.library.answer = ({ exclude }) => {
    const id = stage.library.videos.find((one) => !exclude.includes(one)) ?? 'a';
    return { json: { ...picked(id, 16, 60), rendition: 'grid', renditions } };
  };
  storeLearned('kbps', 40_000);
  await stage.play();
  for (const quadrant of quadrants) layOut(quadrant, 960, 540);
  const control = new QualityControl(qualityHost);
  stop = startSampler((samples) => control.judge(samples));
});

afterEach(() => {
  stop();
  setShares({});
  stage.end();
});

type Name = (typeof quadrants)[number];

function layOut(quadrant: Name, clientWidth: number, clientHeight: number): void {
  for (const role of ['front', 'back'] as const)
    Object.assign(stage.screen.layer(quadrant, role), { clientWidth, clientHeight });
}

/** All four play on, and have data. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    for (const quadrant of quadrants) {
      const front = stage.screen.layer(quadrant, 'front');
      front.loadedSeconds = 60;
      front.totalFrames += 30;
      if (!front.paused) front.timeNow(front.currentTime + 1);
    }
    await stage.seconds(1);
  }
}

/** What was asked for comes, at its second. */
async function comes(quadrant: Name): Promise<void> {
  const back = stage.screen.layer(quadrant, 'back');
  back.metadataNow();
  back.pictureNow();
  back.presentNow();
  await pass(3);
  stage.screen.settle();
}

test('quadrants whose pictures fit stay as they are, and know their part of the network', async () => {
  await pass(30);
  expect(questions).toEqual([]);
  expect(quadrants.map(kbpsFor)).toEqual([10_000, 10_000, 10_000, 10_000]);
});

test('an expanded quadrant asks for the larger picture, goes on with it, and steps down after it is small again', async () => {
  await pass(1);
  feed.expanded = 'top-left';
  layOut('top-left', 1920, 1080);
  await pass(2);
  const { shown } = stage.summary('top-left');
  expect(questions).toEqual([{ path: shown?.path, quadrant: 'top-left', quality: 'hd' }]);
  await comes('top-left');
  expect(stage.screen.layer('top-left', 'front').src).toContain('/stream/hd');
  expect(stage.summary('top-left')).toMatchObject({
    coming: null,
    shown: { id: shown?.id, url: '/stream/hd', rendition: 'hd' },
  });
  expect(playerOf('top-left').metrics().qualityAdjustments).toBe(1);
  feed.expanded = null;
  layOut('top-left', 960, 540);
  await pass(limits.renditionStepUpSeconds - 1);
  expect(questions).toHaveLength(1);
  given = '/stream/grid';
  await pass(8);
  expect(questions[1]?.quality).toBe('grid');
});

test.each<[string, () => void]>([
  ['pinned', () => setPinned('top-left', true)],
  ['paused', () => setPaused('top-left', true)],
  ['close to its end', () => Object.assign(stage.screen.layer('top-left', 'front'), { duration: 12 })],
  ['without room for it on the network', () => storeLearned('kbps', 5_000)],
  ['on a device that saves data', () => Object.assign(navigator, { connection: { saveData: true } })],
])('one that is %s asks for nothing', async (_, happen) => {
  happen();
  layOut('top-left', 1920, 1080);
  await pass(14);
  expect(questions).toEqual([]);
});

test('an answer that fails is asked for again after a while', async () => {
  given = null;
  layOut('top-left', 1920, 1080);
  await pass(limits.renditionStepUpSeconds + 2);
  expect(questions).toHaveLength(1);
  await pass(15 + limits.renditionStepUpSeconds);
  expect(questions).toHaveLength(2);
  expect(stage.summary('top-left').failure).toBeNull();
});

test('what runs out of data has the lighter one at once', async () => {
  layOut('top-left', 1920, 1080);
  await pass(limits.renditionStepUpSeconds + 1);
  await comes('top-left');
  expect(stage.summary('top-left').shown?.rendition).toBe('hd');
  await pass(14);
  given = '/stream/grid';
  stage.screen.layer('top-left', 'front').starveNow();
  await stage.seconds(1);
  expect(questions[1]?.quality).toBe('grid');
  expect(latestQuality('top-left')?.stalls).toBe(1);
});

test('where no video has another encoding, each change is judged once', async () => {
  for (const quadrant of quadrants) {
    const { shown } = feed.quadrants[quadrant];
    if (shown) feed.quadrants[quadrant].shown = { ...shown, renditions: shown.renditions.slice(0, 1) };
  }
  await pass(1);
  const unchanged = await countCalls(() => pass(3));
  expect(unchanged(toSharer.name)).toBe(0);
  const changed = await countCalls(() => {
    storeLearned('kbps', 8_000);
    return pass(3);
  });
  expect(changed(toSharer.name)).toBe(quadrants.length);
  expect(kbpsFor('top-left')).toBe(2_000);
});
