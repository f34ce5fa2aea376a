import { expect, test } from 'vitest';
import type { Device } from '#app/platform/input/screen-form.ts';
import { screenFormOf } from '#app/platform/input/screen-form.ts';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const desk: Device = { userAgent: chrome, width: 1440, height: 900, pointer: 'fine', hasTouch: false };
const finger: Device = { ...desk, pointer: 'coarse', hasTouch: true };

test.each<[string, Device, string]>([
  ['a desk', desk, 'desktop'],
  ['a desk with a touch screen', { ...desk, hasTouch: true }, 'desktop'],
  ['a very large desk', { ...desk, width: 3840, height: 2160 }, 'desktop'],
  ['a narrow window on a desk', { ...desk, width: 420 }, 'phone'],
  ['a phone upright', { ...finger, width: 390, height: 844 }, 'phone'],
  ['a phone on its side', { ...finger, width: 844, height: 390 }, 'phone'],
  ['a tablet', { ...finger, width: 820, height: 1180 }, 'tablet'],
  ['a screen without any pointer', { ...desk, pointer: 'none', width: 960, height: 540 }, 'tv'],
  ['a screen with the pointer of a remote', { ...desk, pointer: 'coarse', width: 960, height: 540 }, 'tv'],
  ['a foldable', { ...finger, width: 884, height: 1104 }, 'tablet'],
  ['the screen of a car', { ...finger, width: 1280, height: 720 }, 'tablet'],
  ['an upright screen without any pointer', { ...desk, pointer: 'none', width: 540, height: 960 }, 'phone'],
])('%s gets the layout %s', (_, device, form) => {
  expect(screenFormOf(device)).toBe(form);
});

test.each([
  [
    'LG of 2021',
    'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.79 Safari/537.36 WebAppManager',
  ],
  [
    'Samsung of 2022',
    'Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.5) AppleWebKit/537.36 (KHTML, like Gecko) 85.0.4183.93/6.5 TV Safari/537.36',
  ],
  [
    'Fire TV',
    'Mozilla/5.0 (Linux; Android 9; AFTMM Build/PS7233) AppleWebKit/537.36 (KHTML, like Gecko) Silk/98.6 like Chrome/98.0 Safari/537.36',
  ],
  [
    'Hisense',
    'Mozilla/5.0 (Linux; Android 4.4; VIDAA Hisense) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/76.0 Safari/537.36',
  ],
  [
    'Xbox',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/110.0 Safari/537.36 Edg/110.0',
  ],
  [
    'a Chromecast with Google TV',
    'Mozilla/5.0 (Linux; Android 12; Chromecast Build/STTE.230319.008) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0 Safari/537.36',
  ],
  [
    'an app on Samsung of 2019',
    'Mozilla/5.0 (SMART-TV; LINUX; Tizen 5.0) AppleWebKit/537.36 Version/5.0 TV Safari/537.36',
  ],
  [
    'a web view with the name of its place',
    'Mozilla/5.0 (Linux; Android 11; Leanback; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0 Safari/537.36',
  ],
])('a television tells by its name, also with a pointing remote: %s', (_, userAgent) => {
  expect(screenFormOf({ ...desk, userAgent })).toBe('tv');
});

const silkOnDesk =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Silk/112.3 like Chrome/112.0 Safari/537.36';
const webView =
  'Mozilla/5.0 (Linux; Android 11; 55PUS8506 Build/RTM; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0 Safari/537.36';

test.each([
  ['Silk in desktop mode', silkOnDesk],
  ['a web view of Android TV', webView],
])('a television without a name tells by its system, and has no touch screen: %s', (_, userAgent) => {
  expect(screenFormOf({ ...desk, userAgent })).toBe('tv');
  expect(screenFormOf({ ...finger, userAgent, width: 1280, height: 800 })).toBe('tablet');
});

test.each([
  [
    'Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36',
  ],
  [
    'macOS',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36',
  ],
  [
    'ChromeOS',
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36',
  ],
])('a desk without a mouse is no television: %s', (_, userAgent) => {
  expect(screenFormOf({ ...desk, userAgent, pointer: 'none' })).toBe('desktop');
});

test.each([
  [
    'a headset with the browser of a TV maker',
    'Mozilla/5.0 (Linux; Android 10; Quest 2) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/4.0 Chrome/120.0 VR Safari/537.36',
  ],
  [
    'a Tizen phone',
    'Mozilla/5.0 (Linux; Tizen 3.0; SAMSUNG SM-Z400F) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/2.0 Mobile Safari/537.36',
  ],
])('%s is no television', (_, userAgent) => {
  expect(screenFormOf({ ...desk, userAgent })).toBe('desktop');
});

test('a headset with the pointer of its controllers is no television', () => {
  const userAgent =
    'Mozilla/5.0 (X11; Linux x86_64; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/33.0 Chrome/126.0 VR Safari/537.36';
  expect(screenFormOf({ ...desk, userAgent, pointer: 'coarse' })).toBe('tablet');
});
