import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { announceDeviceClass, deviceClass } from '#app/playback/quality/device-class.ts';
import { loseNeed } from '#app/playback/quality/lost-needs.ts';
import { refineDeviceClass } from '#app/playback/quality/refine-device-class.ts';
import type { MediaNeed } from '#contract/rules/media-needs.ts';
import { listNeeds, mediaNeeds, readDeviceClass, toNeedBits } from '#contract/rules/media-needs.ts';
import { feedVideo } from '../../feed/feed-video.ts';
import { fakeStorage } from '../../platform/fake-storage.ts';

/** Codecs that the browser admits to, as they begin. */
let codecs: string[];
/** What it says of them in detail; null: it cannot be asked. */
let detail: ((type: string, lines: number) => { supported: boolean; smooth: boolean }) | null;
let page: { cookie: string };

beforeEach(() => {
  vi.useFakeTimers();
  codecs = ['vp8', 'vp09.00', 'opus', 'vorbis', 'flac'];
  detail = null;
  const canPlayType = (type: string) => {
    const codec = /codecs="([^"]+)"/.exec(type)?.[1];
    return codec === undefined || codecs.some((known) => codec.startsWith(known)) ? 'probably' : '';
  };
  page = { cookie: '' };
  vi.stubGlobal('document', Object.assign(page, { createElement: () => ({ canPlayType }) }));
  vi.stubGlobal('window', { localStorage: fakeStorage() });
  useBrowser('Chrome/156');
  vi.stubGlobal('fetch', async () => new Response('', { status: 206, headers: { 'content-type': 'video/mp4' } }));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function useBrowser(userAgent: string): void {
  const decodingInfo = async ({
    video,
    audio,
  }: {
    video?: { contentType: string; height: number };
    audio?: { contentType: string };
  }) => detail?.(video?.contentType ?? audio?.contentType ?? '', video?.height ?? 0);
  vi.stubGlobal('navigator', { userAgent, ...(detail && { mediaCapabilities: { decodingInfo } }) });
}

const played = () => listNeeds(deviceClass());
const told = () =>
  listNeeds(readDeviceClass(/^plays=([0-9a-z]+);path=\/;max-age=\d+;samesite=lax$/.exec(page.cookie)?.[1]) ?? 0);
/** Other sound is played by no device. */
const missing = () => mediaNeeds.filter((need) => need !== 'other-sound' && !played().includes(need));

describe('at once', () => {
  test('a device plays what its browser admits to, and no picture that is larger than usual', () => {
    codecs.push('avc1.6e', 'av01');
    expect(played()).toEqual([
      ...['quicktime', 'matroska', 'webm', 'avc-10-bit', 'vp8', 'vp9', 'av1', 'av1-10-bit'],
      ...['opus', 'vorbis', 'flac', 'pcm'].filter((need) => need !== 'pcm'),
    ]);
  });

  test('the server is told in a cookie that it reads', () => {
    codecs.push('hvc1');
    announceDeviceClass();
    expect(told()).toEqual(played());
    expect(told()).toContain('hevc');
  });

  test('every need but two sizes and other sound can be found', () => {
    codecs = [''];
    expect(missing()).toEqual(['over-1080-lines', 'over-2160-lines']);
    expect(played()).not.toContain('other-sound');
  });
});

describe('asked in detail, later', () => {
  test('the browser corrects itself in both directions', async () => {
    codecs.push('hvc1');
    detail = (type) => ({ supported: !type.includes('hvc1'), smooth: true });
    useBrowser('Chrome/156');
    await refineDeviceClass();
    expect(missing()).toEqual(['hevc', 'hevc-10-bit']);
    expect(told()).toEqual(played());
  });

  test('a large picture has to be smooth', async () => {
    detail = (_, lines) => ({ supported: true, smooth: lines <= 2_160 });
    useBrowser('Chrome/156');
    await refineDeviceClass();
    expect(missing()).toEqual(['over-2160-lines']);
  });

  test.each([
    ['that has enough memory plays 2160 lines if it admits to them', undefined, true],
    ['with little memory does not', 2, false],
  ])('where it cannot be asked, a device %s', async (_, deviceMemory, isPlayed) => {
    codecs.push('avc1.6400');
    Object.assign(navigator, { deviceMemory });
    await refineDeviceClass();
    expect(played().includes('over-1080-lines')).toBe(isPlayed);
    expect(played()).not.toContain('over-2160-lines');
  });

  test('it is asked once for each version of it', async () => {
    await refineDeviceClass();
    codecs.push('av01');
    await refineDeviceClass();
    expect(played()).not.toContain('av1');
    useBrowser('Chrome/157');
    expect(played()).toContain('av1');
  });

  test('without storage nothing is remembered, and nothing breaks', async () => {
    vi.stubGlobal('window', {});
    await refineDeviceClass();
    codecs.push('av01');
    expect(played()).toContain('av1');
  });
});

describe('a file that does not play although its needs are met', () => {
  const failing = (needs: MediaNeed[], rendition: 'source' | 'grid' = 'source') =>
    feedVideo('v', {
      rendition,
      renditions: [
        { name: 'grid', bytes: 1, width: 960, height: 540 },
        { name: 'source', bytes: 9, width: 3840, height: 2160, needs: toNeedBits(needs) },
      ],
    });

  beforeEach(async () => {
    detail = () => ({ supported: true, smooth: true });
    useBrowser('Chrome/156');
    await refineDeviceClass();
    expect(missing()).toEqual([]);
  });

  test.each([
    [['hevc'], 'hevc'],
    [['matroska', 'hevc', 'over-1080-lines'], 'hevc'],
    [['hevc', 'hevc-10-bit'], 'hevc-10-bit'],
    [['over-1080-lines', 'over-2160-lines'], 'over-2160-lines'],
    [['matroska', 'vp9', 'opus'], 'matroska'],
  ] as [MediaNeed[], MediaNeed][])('of %j takes %s away for a week', async (needs, lost) => {
    expect(await loseNeed(failing(needs), 'no-picture')).toBe(true);
    expect(missing()).toEqual([lost]);
    expect(told()).not.toContain(lost);
    vi.setSystemTime(Date.now() + 8 * 24 * 3_600_000);
    expect(missing()).toEqual([]);
  });

  test.each<[string, () => Promise<Response>]>([
    ["a portal's page", async () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['a proxy without its server', async () => new Response('', { status: 502 })],
    ['a server whose file is gone', async () => new Response('{}', { status: 404 })],
    ['a server whose signature has expired', async () => new Response('{}', { status: 403 })],
    ['nobody', () => Promise.reject(new TypeError('Failed to fetch'))],
  ])('does not take anything away when %s has answered', async (_, answer) => {
    vi.stubGlobal('fetch', answer);
    expect(await loseNeed(failing(['hevc']), 'unsupported')).toBe(false);
    expect(missing()).toEqual([]);
  });

  test('one after the other is taken away', async () => {
    await loseNeed(failing(['hevc', 'hevc-10-bit']), 'decode');
    await loseNeed(failing(['hevc']), 'unsupported');
    expect(missing()).toEqual(['hevc', 'hevc-10-bit']);
  });

  test.each([
    ['what nearly every browser plays', failing(['quicktime', 'webm', 'vp9']), 'decode'],
    ['anything for an encoding', failing(['hevc'], 'grid'), 'decode'],
    ['anything when the network is to blame', failing(['hevc']), 'network'],
    ['anything when it has stalled', failing(['hevc']), 'frozen'],
  ] as const)('does not take away %s', async (_, video, error) => {
    expect(await loseNeed(video, error)).toBe(false);
    expect(missing()).toEqual([]);
  });
});
