import { afterEach, expect, test, vi } from 'vitest';
import { resetSession, session } from '#app/state/session.ts';
import { changeSettings, loadSettings, settings, subscribeAccountSettings } from '#app/state/settings.ts';
import { fakeStorage } from '../platform/fake-storage.ts';
import { person } from './people.ts';

const defaults = {
  seekStepSeconds: 60,
  areStatisticsShown: false,
  areShortcutsOn: true,
  screenLayout: 'automatic',
  isTvOffered: false,
  pictureFit: 'fill',
  quality: 'automatic',
  shuffle: 'once',
  audioLanguage: null,
  volumes: { 'top-left': 1, 'top-right': 1, 'bottom-left': 1, 'bottom-right': 1 },
};

afterEach(() => vi.unstubAllGlobals());

function keep(text: string): void {
  const localStorage = fakeStorage();
  localStorage.setItem('fourfold.settings', text);
  vi.stubGlobal('window', { localStorage });
}

test('what a viewer chose holds after a reload', () => {
  vi.stubGlobal('window', { localStorage: fakeStorage() });
  changeSettings({
    seekStepSeconds: 90,
    areStatisticsShown: true,
    screenLayout: 'tv',
    pictureFit: 'whole',
    quality: 'light',
    shuffle: 'random',
    audioLanguage: 'de',
  });
  settings.seekStepSeconds = 60;
  loadSettings();
  expect(settings).toEqual({
    ...{ ...defaults, seekStepSeconds: 90, areStatisticsShown: true },
    ...{ screenLayout: 'tv', pictureFit: 'whole', quality: 'light', shuffle: 'random', audioLanguage: 'de' },
  });
});

test.each(['', 'null', '[]', '{', '"text"', '7', '{"volumes":null}', '<html>'])(
  'garbage (%s) is the defaults',
  (text) => {
    keep(text);
    loadSettings();
    expect(settings).toEqual(defaults);
  },
);

test("another version's values are dropped one by one, and the rest is kept", () => {
  keep(
    JSON.stringify({
      seekStepSeconds: 61,
      areStatisticsShown: 'yes',
      areShortcutsOn: false,
      screenLayout: 'watch',
      pictureFit: 'stretched',
      quality: 'better',
      shuffle: 'fairly',
      audioLanguage: 7,
      volumes: { 'top-left': 7, 'top-right': 0.4 },
      more: 1,
    }),
  );
  loadSettings();
  expect(settings).toEqual({ ...defaults, areShortcutsOn: false, volumes: { ...defaults.volumes, 'top-right': 0.4 } });
});

test('where storage is full, a choice lives as long as the page', () => {
  const localStorage = { ...fakeStorage(), setItem: () => void throwFull() };
  vi.stubGlobal('window', { localStorage });
  changeSettings({ areShortcutsOn: false });
  expect(settings.areShortcutsOn).toBe(false);
});

test('where storage is closed to the site, the defaults hold', () => {
  vi.stubGlobal('window', {
    get localStorage(): Storage {
      throw new DOMException('Denied', 'SecurityError');
    },
  });
  loadSettings();
  expect(settings).toEqual(defaults);
  changeSettings({ seekStepSeconds: 30 });
  expect(settings.seekStepSeconds).toBe(30);
});

test('whoever signs in brings their step, their keys and their shuffle, and takes them along when they leave', async () => {
  keep('{"seekStepSeconds":90}');
  loadSettings();
  const stop = subscribeAccountSettings();
  session.user = person('pro', {
    settings: {
      skip_duration_seconds: 600,
      blocked_tag_ids: [],
      shortcut_keys: false,
      subtitle_language: null,
      shuffle: 'random',
    },
  });
  await Promise.resolve();
  changeSettings({ areStatisticsShown: true });
  expect(settings).toEqual({
    ...{ ...defaults, seekStepSeconds: 600, areShortcutsOn: false, areStatisticsShown: true },
    shuffle: 'random',
  });
  resetSession();
  await Promise.resolve();
  stop();
  expect(settings).toEqual({ ...defaults, seekStepSeconds: 90, areStatisticsShown: true });
});

function throwFull(): never {
  throw new DOMException('Full', 'QuotaExceededError');
}
