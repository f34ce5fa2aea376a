import { afterEach, expect, test, vi } from 'vitest';
import { addressOf, holdsConnection, pointTo } from '#app/playback/player/video-element.ts';

afterEach(() => vi.unstubAllGlobals());

const chromium =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.130 Safari/537.36';
const headless =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const safari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15';
const chromeOnIos =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/123.0.6312.52 Mobile/15E148 Safari/604.1';
const tizenApp =
  'Mozilla/5.0 (SMART-TV; LINUX; Tizen 5.5) AppleWebKit/537.36 (KHTML, like Gecko) Version/5.5 TV Safari/537.36';
const webOsApp = 'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Safari/537.36';

test.each([chromium, headless, firefox, tizenApp, webOsApp])(
  'an engine that goes on after a short answer is answered in pieces: %s',
  (userAgent) => {
    vi.stubGlobal('navigator', { userAgent });
    expect(addressOf('/api/video/stream?path=a.mp4&signature=x')).toBe(
      '/api/video/stream?path=a.mp4&signature=x&piece=2097152',
    );
    expect(addressOf('/a.mp4')).toBe('/a.mp4?piece=2097152');
  },
);

test.each([safari, chromeOnIos])('WebKit is answered with exactly what it asked for: %s', (userAgent) => {
  vi.stubGlobal('navigator', { userAgent });
  expect(addressOf('/api/video/stream?path=a.mp4')).toBe('/api/video/stream?path=a.mp4');
});

test('an address of another host is left as it was signed, and is asked for with the rules of other origins', () => {
  vi.stubGlobal('navigator', { userAgent: chromium });
  const url = 'https://media.example/a.mp4?expires=1&token=x';
  expect(addressOf(url)).toBe(url);
  const video = { crossOrigin: null, src: '' } as HTMLVideoElement;
  pointTo(video, url, url);
  expect(video).toEqual({ crossOrigin: 'anonymous', src: url });
  pointTo(video, '/a.mp4', '/a.mp4?piece=1');
  expect(video).toEqual({ crossOrigin: null, src: '/a.mp4?piece=1' });
});

test('an answer of another host holds its connection for as long as it lasts', () => {
  vi.stubGlobal('navigator', { userAgent: chromium });
  expect(['https://media.example/a.mp4', '/a.mp4', 'blob:a'].map(holdsConnection)).toEqual([true, false, false]);
});
