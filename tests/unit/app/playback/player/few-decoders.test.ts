import { beforeEach, expect, test, vi } from 'vitest';
import { tryFourAgain } from '#app/playback/decoder-trials.ts';
import { readLearned, storeLearned } from '#app/playback/learned-device.ts';
import { learnDecoders, limitByNetwork, mediaBudget, shownAtOnce } from '#app/playback/media-budget.ts';
import type { FakeMedia, FrameTellingVideo } from '../fake-video.ts';
import { FakeCanvas, fakeMediaGlobals } from '../fake-video.ts';
import type { PlayerUnderTest } from '../player-under-test.ts';
import { openPlayer } from '../player-under-test.ts';

const allDecoders = 6;
const answered = vi.fn<typeof fetch>();
let media: FakeMedia;
let four: PlayerUnderTest[];

beforeEach(() => {
  media = fakeMediaGlobals();
  const stored = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  vi.stubGlobal('window', { localStorage });
  answered.mockImplementation(async (address) => {
    // The page's policy refuses such a fetch.
    if (String(address).startsWith('blob:')) throw new TypeError('Failed to fetch');
    return new Response('v', { status: 206, headers: { 'content-type': 'video/mp4' } });
  });
  vi.stubGlobal('fetch', answered);
  tryFourAgain();
  four = Array.from({ length: 4 }, () => openPlayer());
  for (const { player } of four) player.play();
});

const pathOf = ({ src }: FrameTellingVideo) => src.split('?')[0] ?? '';
const areOpen = () => media.videos.filter((video) => video.hasAttribute('src'));
const moving = () => areOpen().filter(({ readyState, error, ended }) => readyState >= 2 && !error && !ended);
const told = () => four.flatMap(({ told: events }) => events);

/** What loads gets a frame while a decoder is free, and else an error, as a broken file does always. */
async function decode({ decoders, broken = [] }: { decoders: number; broken?: readonly string[] }): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    for (const video of areOpen()) {
      if (video.readyState >= 2 || video.error) continue;
      const isFree = areOpen().filter(({ readyState, error }) => readyState >= 2 && !error).length < decoders;
      if (isFree && !broken.includes(pathOf(video))) video.showNow();
      else video.failNow(4);
    }
    media.settle();
    await new Promise<void>((resolve) => setTimeout(resolve));
  }
}

test.each([1, 2, 3])(
  'a device that shows %i of four is found out at the start, and no video counts as broken',
  async (decoders) => {
    for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}`, videoId: `${at}` });
    await decode({ decoders });
    expect([mediaBudget.capacityOf('decoder'), readLearned('decoders')]).toEqual([decoders, decoders]);
    expect([moving().length, areOpen().length]).toEqual([decoders, decoders]);
    expect(told()).not.toContain('failed');
  },
);

test.each([1, 2, 3])('a device that shows %i of four saved videos is found out, too', async (decoders) => {
  for (const [at, { player }] of four.entries()) player.prepare({ url: `blob:${at}` });
  await decode({ decoders });
  expect(readLearned('decoders')).toBe(decoders);
  expect(told()).not.toContain('failed');
  expect(answered).not.toHaveBeenCalled();
});

test.each([1, 2, 3])('a device that shows %i serves whoever waits when a video has ended', async (decoders) => {
  for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}` });
  await decode({ decoders });
  const seen = new Set(moving().map(pathOf));
  for (let round = 1; seen.size < 8; round += 1) {
    expect(round, 'everything was shown').toBeLessThan(12);
    for (const video of moving()) video.endNow();
    for (const [at, one] of four.entries())
      if (one.told.splice(0).includes('ended')) one.player.prepare({ url: `/${at}-next` });
    await decode({ decoders });
    for (const video of moving()) seen.add(pathOf(video));
    expect(moving()).toHaveLength(decoders);
  }
});

test.each([1, 2, 3])(
  'a skip in the middle of a video on a device that shows %i stays in its quadrant',
  async (decoders) => {
    for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}` });
    await decode({ decoders });
    const playing = four.findIndex((_, at) => moving().map(pathOf).includes(`/${at}`));
    four[playing]?.player.prepare({ url: `/${playing}-next` });
    await decode({ decoders });
    expect(moving().map(pathOf)).toContain(`/${playing}-next`);
    expect(moving()).toHaveLength(decoders);
  },
);

test('a broken file among good ones has failed after it was tried with one decoder free, and all else plays on', async () => {
  for (const [at, { player }] of four.slice(0, 3).entries()) player.prepare({ url: `/${at}` });
  await decode({ decoders: allDecoders });
  four[3]?.player.prepare({ url: '/broken' });
  await decode({ decoders: allDecoders, broken: ['/broken'] });
  expect(four[3]?.told.filter((event) => event === 'failed')).toHaveLength(1);
  expect(moving().map(pathOf).sort()).toEqual(['/0', '/1', '/2']);
  expect([mediaBudget.capacityOf('decoder'), readLearned('decoders')]).toEqual([allDecoders, null]);
});

test('on a device that has shown as many at once, a broken file takes no decoder from another video', async () => {
  for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}` });
  await decode({ decoders: allDecoders });
  for (const { player } of four.slice(0, 2)) player.prepareNext({ url: '/next' });
  await decode({ decoders: allDecoders });
  four[1]?.player.showNext();
  await decode({ decoders: allDecoders });
  const { length: before } = media.videos.flatMap(({ dropped }) => dropped);
  four[1]?.player.prepare({ url: '/broken' });
  four[1]?.layer('back').failNow(4);
  expect(four[1]?.told).toContain('failed');
  expect(media.videos.flatMap(({ dropped }) => dropped)).toHaveLength(before + 1);
});

test.each([
  ['a page in place of a video', 200, 'text/html'],
  ['a refusal', 404, 'application/json'],
])('%s says nothing about decoders', async (_, status, type) => {
  answered.mockImplementation(async () => new Response('-', { status, headers: { 'content-type': type } }));
  four[0]?.player.prepare({ url: '/0' });
  await decode({ decoders: allDecoders });
  four[1]?.player.prepare({ url: '/1' });
  await decode({ decoders: 1 });
  expect(four[1]?.told).toContain('failed');
  expect([moving().map(pathOf), mediaBudget.capacityOf('decoder')]).toEqual([['/0'], allDecoders]);
  const dropped = media.videos.flatMap(({ dropped: sources }) => sources);
  expect(dropped.filter((source) => source.startsWith('/0'))).toEqual([]);
});

test('a prepared video that fails for lack of a decoder is shown when it is asked for', async () => {
  for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}` });
  await decode({ decoders: 4 });
  four[0]?.player.prepareNext({ url: '/next' });
  await decode({ decoders: 4 });
  expect(told()).not.toContain('next failed: unsupported');
  four[0]?.player.showNext();
  await decode({ decoders: 4 });
  expect(pathOf(four[0]?.layer('front') as FrameTellingVideo)).toBe('/next');
  expect([moving().length, mediaBudget.capacityOf('decoder')]).toEqual([4, 4]);
});

test('a source that plays when it is loaded once more has failed by the network, and nothing is learned', async () => {
  for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}` });
  for (const { layer } of four.slice(0, 3)) layer('back').showNow();
  media.settle();
  four[3]?.layer('back').failNow(4);
  await decode({ decoders: allDecoders });
  expect([moving().length, mediaBudget.capacityOf('decoder'), readLearned('decoders')]).toEqual([4, allDecoders, null]);
  expect(told()).not.toContain('failed');
});

test('a trial that is no longer wanted gives back what it took', async () => {
  for (const [at, { player }] of four.slice(0, 3).entries()) player.prepare({ url: `/${at}` });
  await decode({ decoders: allDecoders });
  four[3]?.player.prepare({ url: '/3' });
  four[3]?.layer('back').failNow(4);
  await vi.waitFor(() => expect(four[3]?.layer('back').error).toBeNull());
  four[3]?.layer('back').failNow(4);
  expect(mediaBudget.capacityOf('decoder')).toBe(3);
  four[3]?.player.cancel();
  await decode({ decoders: allDecoders });
  expect([mediaBudget.capacityOf('decoder'), moving().length]).toEqual([allDecoders, 3]);
});

test('one more is tried after an hour, later after each refusal, and kept when nothing is refused', () => {
  vi.useFakeTimers();
  const hour = 3_600_000;
  const capacityAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return mediaBudget.capacityOf('decoder');
  };
  learnDecoders(2);
  expect([capacityAfter(hour - 1), capacityAfter(1)]).toEqual([2, 3]);
  learnDecoders(2);
  expect([capacityAfter(6 * hour - 1), capacityAfter(1)]).toEqual([2, 3]);
  learnDecoders(2);
  expect([capacityAfter(24 * hour - 1), capacityAfter(1)]).toEqual([2, 3]);
  expect([capacityAfter(10_000), readLearned('decoders')]).toEqual([3, 3]);
  expect([capacityAfter(hour), capacityAfter(10_000), capacityAfter(48 * hour)]).toEqual([4, 4, 4]);
  vi.useRealTimers();
});

test('a device that has more decoders again plays all four', async () => {
  for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}` });
  await decode({ decoders: 2 });
  expect(moving()).toHaveLength(2);
  tryFourAgain();
  await decode({ decoders: 2 });
  expect([moving().length, shownAtOnce.count, told().includes('failed')]).toEqual([2, 2, false]);
  tryFourAgain();
  await decode({ decoders: 4 });
  expect([moving().length, shownAtOnce.count]).toEqual([4, 4]);
});

test('a quadrant that rests leaves its decoder to the one that has waited the longest, and goes on where it was', async () => {
  for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}` });
  await decode({ decoders: 2 });
  const [first, second] = moving();
  first?.timeNow(7);
  const resting = four.find(({ layer }) => layer('front') === first);
  resting?.player.rest();
  expect([first?.hasAttribute('src'), resting?.facts]).toMatchObject([false, { isResting: true, hasFrame: true }]);
  await decode({ decoders: 2 });
  expect(moving()).toContain(second);
  for (const { player } of four) if (player !== resting?.player) player.suspend();
  await decode({ decoders: 2 });
  expect([resting?.facts.isResting, resting?.player.position]).toEqual([false, 7]);
});

async function restFirst(): Promise<PlayerUnderTest> {
  for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}` });
  await decode({ decoders: 2 });
  const [first] = moving();
  const resting = four.find(({ layer }) => layer('front') === first) as PlayerUnderTest;
  resting.player.rest();
  await decode({ decoders: 2 });
  return resting;
}

test('the last frame of a quadrant that rests is not shown where the device gives a black one', async () => {
  FakeCanvas.brightness = 7;
  const { facts } = await restFirst();
  FakeCanvas.brightness = 200;
  expect(facts).toMatchObject({ isResting: true, hasFrame: false });
  expect(media.canvases.filter(({ isPlaced }) => isPlaced)).toEqual([]);
});

test('another video that is asked of a resting quadrant takes the place of its last frame before it has a decoder', async () => {
  const { player, facts } = await restFirst();
  const stills = () => media.canvases.filter(({ isPlaced }) => isPlaced).length;
  const before = stills();
  expect(facts).toMatchObject({ isResting: true, hasFrame: true });
  player.prepare({ url: '/other' });
  expect(facts).toMatchObject({ isResting: true, hasFrame: false });
  expect(stills()).toBe(before - 1);
});

test.each<[string, number | null, boolean, number]>([
  ['nothing is known of', null, false, 4],
  ['carries enough', 1_000, false, 4],
  ['carries too little for four', 999, false, 2],
  ['carries too little for two', 499, false, 1],
  ['carries enough for a viewer who saves data', 9_000, true, 2],
])(
  'over a network that %s, as many move as it allows, and that is no fact of the device',
  async (_, kbps, saveData, count) => {
    const navigatorBefore = navigator;
    vi.stubGlobal('navigator', { ...navigatorBefore, connection: { saveData } });
    if (kbps !== null) storeLearned('kbps', kbps);
    limitByNetwork();
    for (const [at, { player }] of four.entries()) player.prepare({ url: `/${at}` });
    await decode({ decoders: allDecoders });
    expect([moving().length, shownAtOnce.moving, shownAtOnce.count]).toEqual([count, count, 4]);
    expect(readLearned('decoders')).toBeNull();

    vi.stubGlobal('navigator', navigatorBefore);
    storeLearned('kbps', 1_499);
    limitByNetwork();
    expect(shownAtOnce.moving).toBe(count === 4 ? 4 : 2);
    storeLearned('kbps', 1_500);
    limitByNetwork();
    await decode({ decoders: allDecoders });
    expect([moving().length, shownAtOnce.moving]).toEqual([4, 4]);
  },
);
