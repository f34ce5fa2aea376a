import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SettingsCard } from '#app/features/profile/settings-card.tsx';
import { resetSettingsForm } from '#app/features/profile/settings-store.ts';
import { clearTokens, storeTokens } from '#app/platform/http/token-store.ts';
import { recovered } from '#app/platform/link.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { connection } from '#app/state/connection.ts';
import { stopOutbox } from '#app/state/outbox/outbox-session.ts';
import { resetOutbox } from '#app/state/outbox/outbox-state.ts';
import { resetSession, session } from '#app/state/session.ts';
import { changeSettings, settings, subscribeAccountSettings } from '#app/state/settings.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import type { User } from '#contract/entities/user.ts';
import { notices } from '#contract/notices.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { person, tokens } from '#tests/unit/app/state/people.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKey, pressKeys } from '../keys.ts';
import { withRemote } from '../with-remote.ts';

const sentences = [
  'Counts on this device.',
  'Counts on all devices that you are signed in on.',
  'What you watch is remembered for this, for you alone.',
];

let routes: Parameters<typeof fakeServer>[0];
let server: ReturnType<typeof fakeServer>;
let stop: () => void;
let bodies: unknown[];

withRemote(watchRemote);

beforeEach(() => {
  bodies = [];
  routes = {
    'DELETE /api/watched': () => ({ status: 204 }),
    'PUT /users/profile': (body) => {
      bodies.push(body);
      return { json: { user: owner('random'), features: owner('random').features } };
    },
  };
  server = fakeServer(routes);
  stop = subscribeAccountSettings();
  Object.assign(session, { phase: 'known', user: null });
});

afterEach(async () => {
  stop();
  stopOutbox();
  await outboxStore.discardAll('user-1');
  await settle(() => {
    resetOutbox();
    clearTokens();
    resetSession();
    resetSettingsForm();
    resetSiteConfig();
    changeSettings({ shuffle: 'once' });
    connection.isReachable = true;
  });
  // biome-ignore lint/suspicious/noDocumentCookie: the app writes it like this
  document.cookie = 'shuffle=once;path=/;max-age=0';
  vi.unstubAllGlobals();
});

function owner(shuffle: 'once' | 'random'): User {
  const user = person('basic');
  return { ...user, settings: { ...user.settings, shuffle } };
}

const drawSettings = () => draw(<SettingsCard />);
const words = () => document.body.textContent ?? '';
const pressed = () =>
  ['Every video once, then again', 'Purely random'].map((name) => button(name).getAttribute('aria-pressed'));
const said = () => sentences.filter((sentence) => words().includes(sentence));
const question = 'Are you sure you want to forget what you have watched? All videos count as new.';
const forget = async () => {
  await press('Forget what I have watched');
  await press('Forget');
  await vi.waitFor(async () => {
    await settle();
    expect(document.querySelector('[role="alertdialog"]')).toBeNull();
  });
};

test('without an account every video comes once, on this device, and the choice is told to the server', async () => {
  await drawSettings();
  expect([pressed(), said()]).toEqual([
    ['true', 'false'],
    [sentences[0], sentences[2]],
  ]);
  await press('Purely random');
  expect([pressed(), settings.shuffle, document.cookie]).toEqual([['false', 'true'], 'random', 'shuffle=random']);
  await press('Every video once, then again');
  expect([pressed(), document.cookie, server.calls]).toEqual([['true', 'false'], '', []]);
});

test('whoever is signed in chooses for all of their devices', async () => {
  Object.assign(session, { user: owner('once') });
  await drawSettings();
  expect(said()).toEqual([sentences[1], sentences[2]]);
  await press('Purely random');
  await vi.waitFor(() => expect(bodies).toEqual([{ settings: { shuffle: 'random' } }]));
  await settle();
  expect([pressed(), document.cookie]).toEqual([['false', 'true'], '']);
  await settle(() => resetSession());
  expect(settings.shuffle).toBe('once');
});

test('without a network it says that it waits, until it was sent', async () => {
  storeTokens(tokens());
  Object.assign(session, { user: owner('once') });
  const answer = routes['PUT /users/profile'];
  routes['PUT /users/profile'] = undefined;
  await drawSettings();
  await press('Purely random');
  await settle(() => document.querySelector<HTMLInputElement>('input[aria-label="Keyboard shortcuts"]')?.click());
  await vi.waitFor(() => expect(words().split(notices.changeWaits)).toHaveLength(3));
  routes['PUT /users/profile'] = answer;
  await settle(() => recovered.emit());
  await vi.waitFor(() => expect(words()).not.toContain(notices.changeWaits));
  expect(bodies).toEqual([{ settings: { shuffle: 'random' } }, { settings: { shortcut_keys: false } }]);
});

test('a choice that the server refuses is taken back, and says so', async () => {
  routes['PUT /users/profile'] = () => ({ status: 500, json: { error: 'internal', message: 'No' } });
  Object.assign(session, { user: owner('once') });
  await drawSettings();
  await press('Purely random');
  await vi.waitFor(async () => {
    await settle();
    expect(words()).toContain('Failed to save settings. Please try again.');
  });
  expect(pressed()).toEqual(['true', 'false']);
});

test('what was watched is forgotten after a question, which can be left', async () => {
  await drawSettings();
  await press('Forget what I have watched');
  expect(document.querySelector('[role="alertdialog"]')?.textContent).toContain(question);
  await press('Cancel');
  expect([document.querySelector('[role="alertdialog"]'), server.calls]).toEqual([null, []]);
  await forget();
  expect(server.calls).toEqual(['DELETE /api/watched']);
  expect(words()).toContain('Forgotten. All videos count as new.');
});

test('a failure to forget is said, with its reason', async () => {
  routes['DELETE /api/watched'] = () => ({ status: 500, json: { error: 'internal', message: 'The disk is full' } });
  await drawSettings();
  await forget();
  expect(words()).toContain('Failed to forget what you have watched: The disk is full');
  expect(words()).not.toContain('Forgotten.');
});

test('without a network nothing can be forgotten, and that is said', async () => {
  connection.isReachable = false;
  await drawSettings();
  expect(button('Forget what I have watched').disabled).toBe(true);
  expect(words()).toContain('Needs a connection');
});

test('where the site does not remember, there is neither a choice nor a button', async () => {
  siteConfig.remembersWatched = false;
  await drawSettings();
  expect(words()).not.toMatch(/Shuffle|Purely random|Forget|remembered/);
});

test('a remote reaches both choices and the question, whose focus starts on Cancel', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawSettings();
  await settle(() => button('Every video once, then again').focus());
  await pressKey('ArrowDown');
  expect(focusedName()).toBe('Purely random');
  await pressKeys('Enter', 'ArrowDown');
  expect([pressed()[1], focusedName()]).toEqual(['true', 'Forget what I have watched']);
  await pressKey('Enter');
  expect(focusedName()).toBe('Cancel');
  await pressKey('Escape');
  expect([document.querySelector('[role="alertdialog"]'), focusedName()]).toEqual([null, 'Forget what I have watched']);
});
