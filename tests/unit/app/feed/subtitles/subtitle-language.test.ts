import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deviceKey, languageState, subtitleLanguage } from '#app/features/feed/subtitles/chosen-tracks.ts';
import { rememberLanguage } from '#app/features/feed/subtitles/subtitle-tracks.ts';
import { clearTokens, storeTokens } from '#app/platform/http/token-store.ts';
import { resetSession, session } from '#app/state/session.ts';
import { outboxStore } from '#device/outbox-store.ts';
import type { FakeNetwork } from '../../platform/fake-network.ts';
import { fakeNetwork } from '../../platform/fake-network.ts';
import { fakeBrowser } from '../../state/fake-browser.ts';
import { person, tokens } from '../../state/people.ts';

let network: FakeNetwork;

const speaking = (subtitle_language: string | null) =>
  person('basic', { settings: { ...person().settings, subtitle_language } });

function signIn(language: string | null = 'de'): void {
  storeTokens(tokens());
  const user = speaking(language);
  Object.assign(session, { user, features: user.features });
}

const stored = () => window.localStorage.getItem(deviceKey);

beforeEach(() => {
  fakeBrowser();
  network = fakeNetwork();
  Object.assign(languageState, { chosen: null, ofDevice: null });
});

afterEach(() => {
  vi.restoreAllMocks();
  resetSession();
  clearTokens();
  vi.unstubAllGlobals();
});

describe('the language of subtitles', () => {
  test('was never chosen at first', () => {
    expect(subtitleLanguage()).toBeNull();
  });

  test('is remembered on the device for anonymous viewers, also that they want none', async () => {
    await rememberLanguage('en');
    expect([subtitleLanguage(), stored()]).toEqual(['en', 'en']);
    await rememberLanguage('');
    expect([subtitleLanguage(), stored()]).toEqual(['', '']);
    expect(network.fetch).not.toHaveBeenCalled();
  });

  test('lasts as long as the page where storage is full', async () => {
    vi.spyOn(window.localStorage, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    await rememberLanguage('en');
    expect(subtitleLanguage()).toBe('en');
  });

  test('is the account’s where somebody is signed in', () => {
    languageState.ofDevice = 'en';
    signIn('de');
    expect(subtitleLanguage()).toBe('de');
    resetSession();
    expect(subtitleLanguage()).toBe('en');
  });

  test('takes effect at once, and is saved to the account', async () => {
    signIn();
    const user = speaking('fr');
    network.answer({ json: { user, features: user.features } });
    const saved = rememberLanguage('fr');
    expect(subtitleLanguage()).toBe('fr');
    await saved;
    const [[, { body }] = [null, { body: '' }]] = network.fetch.mock.calls;
    expect(JSON.parse(String(body))).toEqual({ settings: { subtitle_language: 'fr' } });
    expect([languageState.chosen, subtitleLanguage(), stored()]).toEqual([null, 'fr', null]);
  });

  test('waits in the outbox without a network, and takes effect all the same', async () => {
    signIn();
    const add = vi.spyOn(outboxStore, 'add').mockResolvedValue({ temporaryId: null } as never);
    network.answer('away');
    await rememberLanguage('');
    expect(add).toHaveBeenCalledWith(expect.objectContaining({ body: { settings: { subtitle_language: '' } } }));
    expect(subtitleLanguage()).toBe('');
  });

  test('lasts as long as the page where the account refuses it, and belongs to that person', async () => {
    signIn();
    network.answer({ status: 400, json: { error: 'validation_failed', message: 'Refused' } });
    await rememberLanguage('fr');
    expect(subtitleLanguage()).toBe('fr');
    resetSession();
    expect(subtitleLanguage()).toBeNull();
  });
});
