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
])('a television tells by its name, also with a pointing remote: %s', (_, userAgent) => {
  expect(screenFormOf({ ...desk, userAgent })).toBe('tv');
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
