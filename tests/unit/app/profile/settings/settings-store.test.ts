import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  chooseShuffle,
  chooseStep,
  isUnsaved,
  moveStep,
  resetSettingsForm,
  saveSettings,
  settingsForm,
  shownStep,
  switchShortcuts,
  watchedForm,
} from '#app/features/profile/settings-store.ts';
import { clearTokens, storeTokens } from '#app/platform/http/token-store.ts';
import { stopOutbox } from '#app/state/outbox/outbox-session.ts';
import { outbox, resetOutbox } from '#app/state/outbox/outbox-state.ts';
import { resetSession, session } from '#app/state/session.ts';
import { loadSettings, settings, subscribeAccountSettings } from '#app/state/settings.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { NotStored } from '#device/outbox-entry.ts';
import { outboxStore } from '#device/outbox-store.ts';
import type { FakeNetwork } from '../../platform/fake-network.ts';
import { fakeNetwork } from '../../platform/fake-network.ts';
import { fakeBrowser } from '../../state/fake-browser.ts';
import { person, tokens } from '../../state/people.ts';

let network: FakeNetwork;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  fakeBrowser();
  network = fakeNetwork();
  loadSettings();
  stop = subscribeAccountSettings();
});

afterEach(() => {
  stop();
  resetSettingsForm();
  resetSession();
  clearTokens();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const withSettings = (tier: Tier, skipSeconds: number, shortcutKeys = true) =>
  person(tier, {
    settings: {
      skip_duration_seconds: skipSeconds,
      blocked_tag_ids: [],
      shortcut_keys: shortcutKeys,
      subtitle_language: null,
      shuffle: 'once',
    },
  });

async function signIn(user = withSettings('pro', 60)): Promise<void> {
  storeTokens(tokens());
  Object.assign(session, { user, features: user.features });
  await vi.advanceTimersByTimeAsync(0);
}

const saved = (user: ReturnType<typeof person>) => ({ json: { user, features: user.features } });
const sent = () => network.fetch.mock.calls.map(([, { body }]) => JSON.parse(String(body)));

test('a chosen step waits for its button, is sent to the account, and is told of for three seconds', async () => {
  await signIn();
  chooseStep(1234);
  expect([shownStep(), isUnsaved(), settings.seekStepSeconds]).toEqual([1230, true, 60]);
  network.answer(saved(withSettings('pro', 1230)));
  await saveSettings();
  await vi.advanceTimersByTimeAsync(2_999);
  expect(sent()).toEqual([{ settings: { skip_duration_seconds: 1230 } }]);
  expect([shownStep(), isUnsaved(), settings.seekStepSeconds]).toEqual([1230, false, 1230]);
  expect(settingsForm.notice).toEqual({ kind: 'ok', sentence: 'Settings saved successfully!' });
  await vi.advanceTimersByTimeAsync(1);
  expect(settingsForm.notice).toBeNull();
});

const refused = { status: 400, json: { error: 'validation_failed', message: 'Refused' } };

test('a step that could not be saved stays chosen, and the failure stays', async () => {
  await signIn();
  moveStep(1);
  network.answer(refused);
  await saveSettings();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([shownStep(), isUnsaved()]).toEqual([90, true]);
  expect(settingsForm.notice).toEqual({ kind: 'danger', sentence: 'Failed to save settings. Please try again.' });
});

test('minus and plus stop at the ends of the slider', async () => {
  await signIn();
  chooseStep(0);
  moveStep(-1);
  expect(shownStep()).toBe(30);
  chooseStep(99_999);
  moveStep(1);
  expect(shownStep()).toBe(5_400);
});

test('without the feature the slider stands at a minute, and what a better tier chose is left as it was', async () => {
  await signIn(withSettings('basic', 600));
  chooseStep(90);
  expect([shownStep(), isUnsaved()]).toEqual([60, false]);
  await saveSettings();
  expect([sent(), settingsForm.notice]).toEqual([[], null]);
});

test('success is told of what is kept alone', async () => {
  const failure = { kind: 'danger', sentence: 'Failed to save settings. Please try again.' };
  await signIn();
  chooseStep(300);
  network.answer(saved(withSettings('pro', 60)));
  await saveSettings();
  expect([settingsForm.notice, shownStep(), isUnsaved()]).toEqual([failure, 300, true]);

  Object.assign(session, { user: null, features: featuresByTier.pro });
  await vi.advanceTimersByTimeAsync(0);
  chooseStep(300);
  vi.spyOn(window.localStorage, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  await saveSettings();
  expect(settingsForm.notice).toEqual(failure);
});

test('before any answer the slider stands at a minute', () => {
  chooseStep(90);
  expect(shownStep()).toBe(60);
});

test('signed out, the device keeps the step', async () => {
  session.features = featuresByTier.pro;
  chooseStep(90);
  await saveSettings();
  expect(network.fetch).not.toHaveBeenCalled();
  loadSettings();
  expect(settings.seekStepSeconds).toBe(90);
});

test('a choice that is not saved does not pass to somebody else', async () => {
  await signIn();
  chooseStep(300);
  await signIn(person('pro', { id: 'user-2' }));
  expect(shownStep()).toBe(60);
});

test('a switch of the account acts at once, and goes back when the server does not take it', async () => {
  await signIn();
  network.answer(refused);
  const switching = switchShortcuts(false);
  expect(settings.areShortcutsOn).toBe(false);
  await switching;
  expect([settings.areShortcutsOn, settingsForm.notice?.kind]).toEqual([true, 'danger']);
  network.answer(saved(withSettings('pro', 60, false)));
  await switchShortcuts(false);
  expect(settings.areShortcutsOn).toBe(false);
});

/** The answer comes once somebody else has signed in. */
async function refusedAfter(next: ReturnType<typeof person>, choose: () => Promise<void>): Promise<void> {
  network.answer(refused);
  const answered = network.fetch.getMockImplementation();
  let arrive = () => {};
  network.fetch.mockImplementation(async (...question) => {
    await new Promise<void>((resolve) => {
      arrive = resolve;
    });
    return answered!(...question);
  });
  const choosing = choose();
  await vi.advanceTimersByTimeAsync(0);
  await signIn(next);
  arrive();
  await choosing;
  if (answered) network.fetch.mockImplementation(answered);
}

test('what is refused to one person changes and tells nothing of the settings of the next', async () => {
  await signIn();
  const next = person('pro', { id: 'user-2' });
  next.settings = { ...next.settings, shortcut_keys: false, shuffle: 'random' };
  await refusedAfter(next, () => switchShortcuts(false));
  expect([settings.areShortcutsOn, settingsForm.notice]).toEqual([false, null]);
  await signIn();
  await refusedAfter(next, () => chooseShuffle('random'));
  expect([settings.shuffle, watchedForm.notice]).toEqual(['random', null]);
  await signIn();
  chooseStep(300);
  await refusedAfter(next, saveSettings);
  expect([settingsForm.notice, settingsForm.isSaving]).toEqual([null, false]);
});

test('of two choices right after each other that are both refused, what the account has comes back', async () => {
  await signIn();
  network.answer(refused);
  const first = switchShortcuts(false);
  network.answer(refused);
  await Promise.all([first, switchShortcuts(true)]);
  expect(settings.areShortcutsOn).toBe(true);
});

describe('without a network', () => {
  afterEach(() => {
    stopOutbox();
    resetOutbox();
  });

  test('a step and a switch wait on the device, are shown as if they were saved, and say so', async () => {
    await signIn();
    chooseStep(300);
    await saveSettings();
    await vi.advanceTimersByTimeAsync(0);
    expect(settingsForm.notice).toEqual({
      kind: 'waits',
      sentence: 'Stored on this device. It will be sent when the network is back.',
    });
    await switchShortcuts(false);
    await vi.advanceTimersByTimeAsync(0);
    expect([shownStep(), isUnsaved(), settings.areShortcutsOn]).toEqual([300, false, false]);
    expect(outbox.entries.map(({ body }) => body)).toEqual([
      { settings: { skip_duration_seconds: 300 } },
      { settings: { shortcut_keys: false } },
    ]);
  });

  test('a full outbox says so, and the choice goes back', async () => {
    vi.spyOn(outboxStore, 'add').mockRejectedValueOnce(new NotStored('No room'));
    await signIn();
    await switchShortcuts(false);
    expect([settings.areShortcutsOn, settingsForm.notice]).toEqual([true, { kind: 'danger', sentence: 'No room' }]);
  });
});
