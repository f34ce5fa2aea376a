import { act } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  closeQuadrantMenu,
  hideControls,
  openQuadrantMenu,
  quadrantMenu,
} from '#app/features/feed/controls/controls-store.ts';
import { feed } from '#app/features/feed/feed-state.ts';
import { resetFeed } from '#app/features/feed/feed-store.ts';
import { chosenTracks, languageState } from '#app/features/feed/subtitles/chosen-tracks.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import { recovered } from '#app/platform/link.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import type { SubtitleList } from '#contract/entities/video.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { FakeLibrary } from '#tests/unit/app/feed/fake-library.ts';
import { press, settle } from '../../draw.tsx';
import { layOut } from '../../laid-out.ts';
import { drawPlayingFeed } from '../draw-playing-feed.tsx';

const english = { track: 0, language: 'en', label: 'English', url: '/en' };
const german = { track: 1, language: 'de', label: 'German', url: '/de' };
const vttOf = (text: string) => `WEBVTT\n\n00:00:00.000 --> 00:00:10.000\n${text}\n`;

const listOf = (facts: Partial<SubtitleList> = {}): SubtitleList => ({
  tracks: [english, german],
  audio_tracks: [],
  unsupported: [],
  processing: null,
  ...facts,
});

let library: FakeLibrary;

beforeEach(async () => {
  vi.useFakeTimers();
  localStorage.clear();
  library = new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f');
  library.subtitles = { 'top-left': listOf() };
  library.texts = { '/en': vttOf('Hello <i>you</i> &amp; me'), '/de': vttOf('Hallo') };
  layOut();
  await drawPlayingFeed();
  await settle(() => Object.assign(playerFacts['top-left'], { hasFrame: true }));
});

afterEach(async () => {
  await settle(() => {
    closeQuadrantMenu();
    hideControls();
    resetFeed();
    Object.assign(languageState, { chosen: null, ofDevice: null });
    for (const id of Object.keys(chosenTracks)) delete chosenTracks[id];
  });
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function load(): Promise<void> {
  await pass(0);
  await act(() => vi.dynamicImportSettled());
  await pass(0);
}

async function openMenu(quadrant: Quadrant = 'top-left'): Promise<void> {
  await settle(() => openQuadrantMenu(quadrant));
  await load();
}

async function openSubtitles(): Promise<void> {
  await openMenu();
  await press('Subtitles');
  await load();
}

async function choose(label: string): Promise<void> {
  await openSubtitles();
  await press(label);
  await load();
}

const dialog = () => document.querySelector('[role="dialog"]');
const choices = () =>
  [...document.querySelectorAll('[role="radio"]')].map((one) => [one.textContent, one.getAttribute('aria-checked')]);
const shown = (quadrant: Quadrant = 'top-left') =>
  document.querySelector(`[data-quadrant="${quadrant}"] [data-subtitles]`);

describe('the subtitles in the menu of a quadrant', () => {
  test('are one choice: none, or one of its tracks', async () => {
    await openSubtitles();
    expect(choices()).toEqual([
      ['Off', 'true'],
      ['English', 'false'],
      ['German', 'false'],
    ]);
    expect(document.querySelector('[role="radiogroup"]')?.getAttribute('aria-label')).toBe('Subtitles');
    expect(document.activeElement?.textContent).toBe('Off');
    await press('German');
    expect(quadrantMenu.of).toBeNull();
    await openSubtitles();
    expect(choices()).toContainEqual(['German', 'true']);
  });

  test('close by Back, which leads to the menu and to where it was left', async () => {
    await openSubtitles();
    await settle(() => void backStack().goBack());
    expect(quadrantMenu.of).toBe('top-left');
    expect(document.activeElement?.textContent).toBe('Subtitles');
    await settle(() => void backStack().goBack());
    expect(quadrantMenu.of).toBeNull();
  });

  test('are loading until the server answers', async () => {
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    await settle(() => openQuadrantMenu('top-left'));
    await act(() => vi.dynamicImportSettled());
    await press('Subtitles');
    expect(dialog()?.textContent).toContain('Loading...');
    expect(choices()).toEqual([['Off', 'true']]);
  });

  test('are loading while the file is still being read, and come by themselves', async () => {
    library.subtitles['top-left'] = listOf({ tracks: [], processing: { state: 'queued', progress: 0 } });
    await openSubtitles();
    expect(dialog()?.textContent).toContain('Loading...');
    expect(dialog()?.textContent).not.toContain('No subtitles');
    library.subtitles['top-left'] = listOf();
    await pass(3_000);
    expect(choices()).toHaveLength(3);
    expect(dialog()?.textContent).not.toContain('Loading...');
  });

  test('are none where there are none, also when reading the file has failed', async () => {
    library.subtitles['top-left'] = listOf({ tracks: [], processing: { state: 'failed', progress: 0 } });
    await openSubtitles();
    expect(dialog()?.textContent).toContain('No subtitles');
    const asks = library.subtitleAsks.length;
    await pass(60_000);
    expect(library.subtitleAsks).toHaveLength(asks);
  });

  test('say what cannot be chosen', async () => {
    library.subtitles['top-left'] = listOf({
      tracks: [],
      unsupported: [
        { kind: 'picture-subtitles', language: 'en' },
        { kind: 'audio', language: null },
        { kind: 'audio', language: null },
      ],
    });
    await openSubtitles();
    expect(dialog()?.textContent).toContain('Not supported: picture subtitles (English), 2 more audio tracks');
  });

  test('say why they cannot be loaded, and are asked for again', async () => {
    library.subtitles['top-left'] = 'failing';
    await openSubtitles();
    expect(dialog()?.textContent).toContain('Failed to load subtitles: Something went wrong');
    library.subtitles['top-left'] = listOf();
    await press('Retry');
    await load();
    expect(choices()).toHaveLength(3);
  });

  test('wait for the network, and come with it', async () => {
    library.subtitles['top-left'] = 'away';
    await openSubtitles();
    expect(dialog()?.textContent).toContain('Waiting for network');
    library.subtitles['top-left'] = listOf();
    await settle(() => recovered.emit());
    await load();
    expect(choices()).toHaveLength(3);
  });
});

describe('chosen subtitles', () => {
  test('stand over the video at their time, with emphasis', async () => {
    vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(5);
    await choose('English');
    expect(shown()?.innerHTML).toContain('Hello <i>you</i> &amp; me');
    expect(shown()?.getAttribute('lang')).toBe('en');
    expect(shown('top-right')).toBeNull();
  });

  test('are gone before their time, and without a picture', async () => {
    const position = vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(10);
    await choose('English');
    expect(shown()).toBeNull();
    position.mockReturnValue(5);
    await openSubtitles();
    await press('German');
    await load();
    expect(shown()?.textContent).toBe('Hallo');
    await settle(() => Object.assign(playerFacts['top-left'], { hasFrame: false }));
    expect(shown()).toBeNull();
  });

  test('are off with Off, which is remembered', async () => {
    vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(5);
    await choose('English');
    await choose('Off');
    expect(shown()).toBeNull();
    expect(localStorage.getItem('fourfold.subtitles')).toBe('');
  });

  test('of that language are on by themselves with the next video that has them', async () => {
    await choose('English');
    expect(localStorage.getItem('fourfold.subtitles')).toBe('en');
    vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(5);
    library.subtitles.next = listOf({ tracks: [german, { ...english, track: 3, url: '/next' }] });
    library.texts['/next'] = vttOf('Next');
    const { shown: before } = feed.quadrants['top-left'];
    await settle(() => {
      feed.quadrants['top-left'].shown = before && { ...before, id: 'next' };
    });
    await load();
    expect(shown()?.textContent).toBe('Next');
    await settle(() => {
      feed.quadrants['top-left'].shown = before && { ...before, id: 'without' };
    });
    await load();
    expect(shown()).toBeNull();
  });

  test('can start nothing, whatever their text is', async () => {
    vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(5);
    library.texts['/en'] = vttOf('<img src=x onerror=alert(1)><b>bold</i></b><script>x</script>');
    await choose('English');
    expect(shown()?.querySelectorAll('img, script')).toHaveLength(0);
    expect(shown()?.querySelectorAll('b')).toHaveLength(1);
    expect(shown()?.textContent).toContain('<img src=x onerror=alert(1)>');
  });

  test('come when the network is back', async () => {
    vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(5);
    const answer = globalThis.fetch;
    vi.stubGlobal('fetch', (address: string, options: RequestInit) =>
      address === '/en' ? Promise.reject(new TypeError('Failed to fetch')) : answer(address, options),
    );
    await choose('English');
    expect(shown()).toBeNull();
    vi.stubGlobal('fetch', answer);
    await settle(() => recovered.emit());
    await load();
    expect(shown()).not.toBeNull();
  });

  test('come although the server was too busy to list them', async () => {
    vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(5);
    library.subtitles['top-left'] = 'failing';
    await settle(() => Object.assign(languageState, { ofDevice: 'en' }));
    await load();
    expect(library.subtitleAsks).toContain('top-left');
    expect(shown()).toBeNull();
    library.subtitles['top-left'] = listOf();
    await settle(() => recovered.emit());
    await load();
    expect(shown()?.textContent).toContain('Hello');
  });

  test('nobody who wants none loads any', async () => {
    await load();
    await pass(10_000);
    expect(library.subtitleAsks).toEqual([]);
  });
});

describe('the place of subtitles', () => {
  test('is above what stands at the foot of the quadrant', async () => {
    vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(5);
    const rect = (top: number, height: number) => new DOMRect(0, top, 960, height);
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
      if (this.dataset.quadrant !== undefined) return rect(0, 540);
      return this.parentElement?.dataset.controls === undefined ? rect(0, 0) : rect(440, 30);
    });
    await choose('English');
    const { style } = shown() as HTMLElement;
    expect([style.fontSize, style.bottom]).toEqual(['30px', '106px']);
    await settle(hideControls);
    expect(style.bottom).toBe('');
  });

  test.each([
    [195, 110, '12px'],
    [195, 297, '12px'],
    [480, 270, '15px'],
    [1920, 1080, '60px'],
  ])('in a quadrant of %d×%d pixels its letters have %s', async (width, height, fontSize) => {
    vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(5);
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, width, height));
    await choose('English');
    expect((shown() as HTMLElement).style.fontSize).toBe(fontSize);
  });
});

describe('the audio tracks in the menu of a quadrant', () => {
  const audio_tracks = [
    { track: 0, language: 'en', label: 'English', is_default: true },
    { track: 1, language: 'de', label: 'German', is_default: false },
  ];
  const address = { url: '/main', rendition: 'source', width: 1920, height: 1080, bitrate_bps: null } as const;
  const words = () => document.querySelector('[data-quadrant="top-left"]')?.textContent;

  test('are there only where the file has several', async () => {
    await openMenu();
    expect(document.querySelector('[role="dialog"]')?.textContent).not.toContain('Audio');
    library.subtitles['top-left'] = listOf({ audio_tracks });
    await settle(closeQuadrantMenu);
    await openMenu();
    await press('Audio');
    expect(choices()).toEqual([
      ['English', 'true'],
      ['German', 'false'],
    ]);
    expect(document.activeElement?.textContent).toBe('English');
    await settle(() => void backStack().goBack());
    expect(quadrantMenu.of).toBe('top-left');
    await load();
    expect(document.activeElement?.textContent).toBe('Audio');
  });

  test('are prepared while the video plays, then take its place at the same second, and come first from then on', async () => {
    library.subtitles['top-left'] = listOf({ audio_tracks });
    library.addresses = [
      { ...address, processing: { state: 'queued', progress: 0 } },
      { ...address, url: '/german', audio_track: 1, processing: null },
    ];
    const replaced = vi.spyOn(playerOf('top-left'), 'replaceSource').mockImplementation(() => {});
    await openMenu();
    await press('Audio');
    await press('German');
    await load();
    expect(words()).toContain('The audio track is being prepared.');
    expect(replaced).not.toHaveBeenCalled();
    await pass(3_000);
    expect(library.addressAsks).toEqual([
      { path: 'top-left.mp4', quadrant: 'top-left', quality: 'source', audio_track: 1 },
      { path: 'top-left.mp4', quadrant: 'top-left', quality: 'source', audio_track: 1 },
    ]);
    expect(replaced).toHaveBeenCalledExactlyOnceWith('/german', expect.objectContaining({ at: expect.any(Number) }));
    await act(async () => replaced.mock.lastCall?.[1].shown?.());
    expect(feed.quadrants['top-left'].shown).toMatchObject({ url: '/german', audioTrack: 1 });
    await openMenu();
    await press('Audio');
    expect(choices()).toEqual([
      ['German', 'true'],
      ['English', 'false'],
    ]);
  });

  test('say when one cannot be made, and nothing changes', async () => {
    library.subtitles['top-left'] = listOf({ audio_tracks });
    library.addresses = [{ ...address, processing: { state: 'failed', progress: 0 } }];
    const replaced = vi.spyOn(playerOf('top-left'), 'replaceSource').mockImplementation(() => {});
    await openMenu();
    await press('Audio');
    await press('German');
    await load();
    expect(words()).toContain('This audio track cannot be played.');
    await pass(30_000);
    expect([replaced.mock.calls.length, library.addressAsks.length]).toEqual([0, 1]);
  });

  test('are not asked for any more once another video is shown', async () => {
    library.subtitles['top-left'] = listOf({ audio_tracks });
    library.addresses = Array.from({ length: 9 }, () => ({
      ...address,
      processing: { state: 'running' as const, progress: 1 },
    }));
    await openMenu();
    await press('Audio');
    await press('German');
    await pass(3_000);
    const before = library.addressAsks.length;
    feed.quadrants['top-left'].shown = {
      ...(feed.quadrants['top-left'].shown as NonNullable<unknown>),
      id: 'other',
    } as never;
    await pass(30_000);
    expect([before, library.addressAsks.length]).toEqual([2, before]);
  });
});
