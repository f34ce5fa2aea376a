import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AskedAhead } from '#app/platform/asked-ahead.ts';
import { refreshKey } from '#app/platform/tokens/token-store.ts';
import { keepLearned } from '#app/playback/learned-decoders.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { FakeNetwork } from './platform/fake-network.ts';
import { fakeNetwork } from './platform/fake-network.ts';
import { fakeStorage } from './platform/fake-storage.ts';
import type { FakeMedia, FrameTellingVideo } from './playback/fake-video.ts';
import { fakeMediaGlobals } from './playback/fake-video.ts';

/** An element that holds others, as far as the pictures' grid knows it. */
class FakeBox {
  className = '';
  isConnected = false;
  readonly children: unknown[] = [];

  append(...children: unknown[]): void {
    for (const child of children) if (child instanceof FakeBox) child.isConnected = true;
    this.children.push(...children);
  }

  appendChild<Child>(child: Child): Child {
    this.append(child);
    return child;
  }

  contains(target: unknown): boolean {
    return target === this;
  }
}

const picksOf = (...ids: string[]) => JSON.stringify(Object.fromEntries(quadrants.map((quadrant, at) => [quadrant, { id: ids[at], url: `/${ids[at]}` }])));
const four = picksOf('a', 'b', 'c', 'd');

let media: FakeMedia;
let network: FakeNetwork;
let body: FakeBox;

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  media = fakeMediaGlobals();
  network = fakeNetwork();
  body = new FakeBox();
  const { createElement } = document;
  const create = (name: string) => (name === 'div' ? new FakeBox() : createElement(name));
  Object.assign(document, { body, readyState: 'interactive', createElement: create });
  vi.stubGlobal('window', { localStorage: fakeStorage(), outerWidth: 1440, devicePixelRatio: 1 });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Runs what stands in the page. @param answer what the page brings */
async function open(answer: string, search = ''): Promise<AskedAhead | undefined> {
  vi.stubGlobal('location', { search });
  Object.assign(document, { getElementById: () => ({ textContent: answer }) });
  await import('#app/ask-ahead.ts');
  await vi.advanceTimersByTimeAsync(0);
  media.drawFrames(1);
  return window.askedAhead;
}

function see(isSeen: boolean): void {
  Object.assign(document, { hidden: !isSeen });
  document.dispatchEvent(new Event('visibilitychange'));
}

/** The browser tells the target by itself. */
function tap(): void {
  for (const name of ['pointerdown', 'click']) {
    document.dispatchEvent(Object.defineProperty(new Event(name), 'target', { value: body.children[0] }));
  }
}

const arePaused = () => media.videos.map(({ paused }) => paused);
const sources = () => media.videos.map(({ src }) => src.split('?')[0]);

function answersOf(ahead: AskedAhead | undefined): Promise<unknown>[] {
  return Object.values(ahead?.answers ?? {}).map(async (answer) => JSON.parse((await answer()).text));
}

test('the four videos that the page brings load and stand in four places, and nothing is asked', async () => {
  const ahead = await open(four);
  expect(sources()).toEqual(['/a', '/b', '/c', '/d']);
  expect(Object.values(ahead?.grid?.hosts ?? {}).flatMap((host) => [...host.children])).toEqual(media.videos);
  expect(await Promise.all(answersOf(ahead))).toEqual(Object.values(JSON.parse(four)));
  expect(network.fetch).not.toHaveBeenCalled();
});

test('a video that is given twice loads once', async () => {
  const ahead = await open(picksOf('a', 'b', 'a', 'b'));
  expect(sources().sort()).toEqual(['/a', '/b']);
  expect(Object.keys(ahead?.videos ?? {}), 'the engine asks for them in this order, and the first who asks keeps it').toEqual(quadrants.slice(0, 2));
});

test('a page out of sight makes no video and asks for none', async () => {
  Object.assign(document, { hidden: true });
  expect(await open('')).toBeUndefined();
  expect([media.videos.length, network.fetch.mock.calls.length]).toEqual([0, 0]);
});

test('an address that asks for something is left to the engine', async () => {
  expect(await open(four, '?view=upload')).toBeUndefined();
  expect(media.videos).toEqual([]);
});

test("whoever has a token is shown no stranger's videos", async () => {
  window.localStorage.setItem(refreshKey, 'of-ana');
  const ahead = await open(four);
  expect(media.videos.every((video) => !video.hasAttribute('src'))).toBe(true);
  expect([ahead?.grid, ahead?.videos]).toEqual([null, {}]);
});

test('a device with too few decoders keeps no video of the page, and its engine is answered', async () => {
  keepLearned(2);
  const ahead = await open(four);
  expect(media.videos.every((video) => !video.hasAttribute('src'))).toBe(true);
  expect([ahead?.grid, ahead?.videos]).toEqual([null, {}]);
  expect(await Promise.all(answersOf(ahead))).toHaveLength(quadrants.length);
});

test('a tap plays all four; out of sight they pause, and go on in sight', async () => {
  await open(four);
  tap();
  expect(arePaused()).toEqual([false, false, false, false]);
  see(false);
  expect(arePaused()).toEqual([true, true, true, true]);
  see(true);
  expect(arePaused()).toEqual([false, false, false, false]);
});

test('a page that is seen again before the tap keeps its stills', async () => {
  await open(four);
  see(false);
  see(true);
  expect(arePaused()).toEqual([true, true, true, true]);
});

test('videos that the engine has taken are its own', async () => {
  const ahead = await open(four);
  tap();
  if (ahead) ahead.videos = null;
  see(false);
  expect(arePaused()).toEqual([false, false, false, false]);
});

test('a page without videos asks once for all four, and a refusal is the refusal of each', async () => {
  network.answer({ status: 404, json: { error: 'no_videos_available' } });
  const ahead = await open('');
  const answers = await Promise.all(Object.values(ahead?.answers ?? {}).map((answer) => answer()));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(network.fetch).toHaveBeenCalledTimes(1);
});

test("a hotel's page in place of the answer fails each call and nothing else", async () => {
  network.answer({ text: '<h1>Welcome</h1>' });
  const ahead = await open('');
  const outcomes = await Promise.allSettled(answersOf(ahead));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
  await expect(ahead?.shown).resolves.toBeUndefined();
});

test('the engine may run once all four have a picture or failed, and a little later', async () => {
  const ahead = await open(four);
  const heard = vi.fn();
  void ahead?.shown.then(heard);
  const [broken, ...sound] = media.videos as [FrameTellingVideo, ...FrameTellingVideo[]];
  for (const video of sound) video.showNow();
  (broken as unknown as { onerror: () => void }).onerror();
  await vi.advanceTimersByTimeAsync(149);
  expect(heard).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(heard).toHaveBeenCalled();
});
