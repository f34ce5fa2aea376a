import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startWatchdog } from '#app/features/feed/monitors.ts';
import { decoderTrials } from '#app/playback/decoder-trials.ts';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { openPlayers, playerFacts, playerOf, releasePlayers } from '#app/playback/player/player.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { FakeMedia, FrameTellingVideo } from '../fake-video.ts';
import { FakeHost, fakeMediaGlobals } from '../fake-video.ts';

let media: FakeMedia;
let stop: () => void;
let hours = 0;
const failed: string[] = [];
const ended: Quadrant[] = [];
const stored = new Map<string, string>();

beforeEach(() => {
  vi.useFakeTimers();
  // What one test froze is long past in the next.
  hours += 1;
  vi.setSystemTime(hours * 3_600_000);
  failed.length = 0;
  ended.length = 0;
  stored.clear();
  media = fakeMediaGlobals();
  vi.stubGlobal('window', {
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
  });
  mediaBudget.setCapacity('decoder', 6);
  openPlayers((quadrant, { type }) => {
    if (type === 'failed') failed.push(quadrant);
    if (type === 'ended') ended.push(quadrant);
  });
  for (const quadrant of quadrants) playerOf(quadrant).attachTo(new FakeHost().element);
  stop = startWatchdog();
});

afterEach(() => {
  stop();
  releasePlayers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const carrierOf = (url: string) => media.videos.find(({ src }) => src.includes(url)) as FrameTellingVideo;

function play(at: number, url: string): void {
  const quadrant = quadrants[at] ?? 'top-left';
  playerOf(quadrant).play();
  playerOf(quadrant).prepare({ url });
  carrierOf(url).showNow();
  media.settle();
}

/** Everything that is not said to be frozen moves on. */
function watch(seconds: number, { frozen = [] }: { frozen?: string[] } = {}): void {
  for (let second = 0; second < seconds; second += 1) {
    for (const video of media.videos) {
      if (video.paused || frozen.some((url) => video.src.includes(url))) continue;
      video.totalFrames += 25;
      video.timeNow(video.currentTime + 1);
    }
    vi.advanceTimersByTime(1_000);
  }
}

test('a video that stands still is nudged, and one that recovers plays on as if nothing had been', () => {
  play(0, '/a');
  const video = carrierOf('/a');
  watch(2);
  const seeks = vi.fn();
  video.addEventListener('seeking', seeks);
  watch(4, { frozen: ['/a'] });
  expect(seeks).toHaveBeenCalledTimes(1);
  video.pictureNow();
  watch(30);
  expect(seeks).toHaveBeenCalledTimes(1);
  expect(failed).toEqual([]);
});

test('a video that still stands is loaded again at its second, beneath a still', () => {
  play(0, '/a');
  watch(2);
  const video = carrierOf('/a');
  const { currentTime } = video;
  watch(4, { frozen: ['/a'] });
  video.pictureNow();
  watch(4, { frozen: ['/a'] });
  expect(video.dropped).toHaveLength(1);
  expect(media.canvases[0]?.isPlaced).toBe(true);
  video.metadataNow();
  expect(video.currentTime).toBe(currentTime);
});

test('a video that stands still to the end is a failure, and says which', () => {
  play(0, '/a');
  for (let round = 0; round < 3; round += 1) {
    watch(5, { frozen: ['/a'] });
    carrierOf('/a').showNow();
  }
  watch(5, { frozen: ['/a'] });
  expect(failed).toEqual(['top-left']);
  expect(playerFacts['top-left'].error).toBe('frozen');
});

test('a video on its way whose data is there and whose picture never comes is a failure; the old one plays on', () => {
  play(0, '/a');
  playerOf('top-left').prepare({ url: '/b' });
  for (let round = 0; round < 3; round += 1) {
    carrierOf('/b').metadataNow();
    carrierOf('/b').pictureNow();
    watch(5);
  }
  expect(failed).toEqual(['top-left']);
  expect(playerFacts['top-left'].error).toBe('frozen');
  expect(carrierOf('/a').paused).toBe(false);
});

test.each<[string, () => void]>([
  ['paused', () => playerOf('top-left').pause()],
  ['out of data', () => carrierOf('/a').starveNow()],
  ['out of sight', () => playerOf('top-left').setHidden(true)],
  ['at its end', () => carrierOf('/a').endNow()],
])('a video that is %s is left alone', (_, become) => {
  play(0, '/a');
  become();
  const seeks = vi.fn();
  carrierOf('/a').addEventListener('seeking', seeks);
  watch(60, { frozen: ['/a'] });
  expect(seeks).not.toHaveBeenCalled();
  expect(failed).toEqual([]);
});

/** What an element without a decoder does. */
type Without = 'the first picture stands' | 'time goes on without pictures' | 'metadata and nothing more';
const ways: readonly Without[] = [
  'the first picture stands',
  'time goes on without pictures',
  'metadata and nothing more',
];

/** A device whose elements get decoders in the order in which they ask for one. */
class Device {
  private readonly decoders: number;
  private readonly without: Without;
  private readonly broken: string;
  private holders: FrameTellingVideo[] = [];
  /** How long its videos are. */
  clipSeconds = Number.POSITIVE_INFINITY;

  /** @param broken a video that no decoder shows */
  constructor(decoders: number, without: Without, broken = 'none') {
    this.decoders = decoders;
    this.without = without;
    this.broken = broken;
  }

  goOn(seconds: number): void {
    for (let second = 0; second < seconds; second += 1) {
      const open = media.videos.filter((video) => video.hasAttribute('src'));
      this.holders = this.holders.filter((video) => open.includes(video));
      const asking = open.filter((video) => !this.holders.includes(video));
      this.holders.push(...asking.slice(0, Math.max(0, this.decoders - this.holders.length)));
      for (const video of open) {
        const canMove = this.holders.includes(video) && !video.src.includes(this.broken);
        canMove ? this.move(video) : this.stand(video);
      }
      media.settle();
      vi.advanceTimersByTime(1_000);
    }
  }

  private move(video: FrameTellingVideo): void {
    if (video.readyState < 2) video.showNow();
    if (video.paused) return;
    video.totalFrames += 25;
    if (video.currentTime + 1 < this.clipSeconds) video.timeNow(video.currentTime + 1);
    else video.endNow();
  }

  private stand(video: FrameTellingVideo): void {
    if (video.readyState === 0) video.metadataNow();
    if (this.without === 'the first picture stands' && video.readyState < 2) video.showNow();
    if (this.without !== 'time goes on without pictures') return;
    if (video.readyState < 2) video.pictureNow();
    if (!video.paused) video.timeNow(video.currentTime + 1);
  }
}

function prepareAll(): void {
  for (const quadrant of quadrants) {
    playerOf(quadrant).play();
    playerOf(quadrant).prepare({ url: `/${quadrant}` });
  }
}

const moving = () => quadrants.filter((quadrant) => playerFacts[quadrant].hasFrame && !playerFacts[quadrant].isResting);

test.each([1, 2, 3].flatMap((decoders) => ways.map((way) => [decoders, way] as const)))(
  'a device of %i decoders is found out where %s without one, no video counts as broken, and it is known at the next start',
  (decoders, way) => {
    decoderTrials.forget();
    const device = new Device(decoders, way);
    prepareAll();
    device.goOn(20);
    expect(mediaBudget.capacityOf('decoder')).toBe(decoders);
    expect(media.videos.filter((video) => video.hasAttribute('src'))).toHaveLength(decoders);
    expect(moving()).toHaveLength(decoders);
    expect(JSON.parse(stored.get('fourfold.decoders') ?? '')).toMatchObject({ decoders });
    expect(failed).toEqual([]);
  },
);

test.each([1, 2, 3])('a device of %i decoders is found out also where clips end after two seconds', (decoders) => {
  decoderTrials.forget();
  const device = new Device(decoders, 'the first picture stands');
  device.clipSeconds = 2;
  prepareAll();
  let clips = 0;
  for (let second = 0; second < 40; second += 1) {
    device.goOn(1);
    for (const quadrant of ended.splice(0)) {
      clips += 1;
      playerOf(quadrant).prepare({ url: `/${quadrant}-${clips}` });
    }
  }
  expect(mediaBudget.capacityOf('decoder')).toBe(decoders);
  expect(failed).toEqual([]);
});

test('two that stand still give way to two that move in one step, within seconds', () => {
  decoderTrials.forget();
  const device = new Device(2, 'the first picture stands');
  prepareAll();
  device.goOn(5);
  expect(mediaBudget.capacityOf('decoder')).toBe(2);
  expect(media.videos.filter((video) => video.hasAttribute('src'))).toHaveLength(2);
});

test.each(ways)(
  'a broken video, of which %s, fails beside three that move, and takes none of their decoders',
  (way) => {
    decoderTrials.forget();
    const device = new Device(6, way, '/bottom-right');
    prepareAll();
    device.goOn(40);
    expect(new Set(failed)).toEqual(new Set(['bottom-right']));
    expect([mediaBudget.capacityOf('decoder'), stored.get('fourfold.decoders')]).toEqual([6, undefined]);
    expect(moving().filter((quadrant) => quadrant !== 'bottom-right')).toHaveLength(3);
  },
);

test('a device that has lost decoders to another app is found out when a second video stands still', () => {
  prepareAll();
  new Device(6, 'the first picture stands').goOn(5);
  new Device(2, 'the first picture stands').goOn(15);
  expect(mediaBudget.capacityOf('decoder')).toBe(2);
  expect(failed).toEqual([]);
});

test('a device that pauses a muted video again and again has one decoder fewer', () => {
  decoderTrials.forget();
  for (const [at, url] of ['/a', '/b', '/c', '/d'].entries()) play(at, url);
  watch(4, { frozen: ['/d'] });
  carrierOf('/d').pauseUnbidden();
  carrierOf('/d').pauseUnbidden();
  expect(mediaBudget.capacityOf('decoder')).toBe(3);
});

test('one video that freezes alone says nothing about the device', () => {
  for (const [at, url] of ['/a', '/b', '/c', '/d'].entries()) play(at, url);
  watch(20, { frozen: ['/c'] });
  expect(mediaBudget.capacityOf('decoder')).toBe(6);
});
