import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clearTokens, refreshToken, storeTokens } from '#app/platform/http/token-store.ts';
import { recovered } from '#app/platform/link.ts';
import { applyUser, endLocalSession } from '#app/state/account.ts';
import { connection } from '#app/state/connection.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import {
  discardAllChanges,
  discardChange,
  keepChanges,
  retryChange,
  sendNow,
  sendOrStore,
} from '#app/state/outbox/outbox-actions.ts';
import { startOutbox, stopOutbox } from '#app/state/outbox/outbox-session.ts';
import { outbox, resetOutbox } from '#app/state/outbox/outbox-state.ts';
import { resetSession, session } from '#app/state/session.ts';
import { subscribeSessionEvents } from '#app/state/start-session.ts';
import type { User } from '#contract/entities/user.ts';
import { limits } from '#contract/limits.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { fakeBrowser } from '../fake-browser.ts';
import { nobody, person } from '../people.ts';
import type { Asked } from './fake-api.ts';
import { FakeApi, tokenOf } from './fake-api.ts';

let api: FakeApi;
let saved: User;
let stopEvents = () => {};

beforeEach(async () => {
  vi.useFakeTimers();
  fakeBrowser();
  api = new FakeApi();
  saved = person('pro');
  Object.assign(api.replies, {
    'GET /users/profile': () => ({ json: { authenticated: true, user: saved, features: saved.features } }),
    'PUT /users/blocklist': ({ body }: Asked) => {
      saved = { ...saved, settings: { ...saved.settings, ...(body as object) } };
      return { json: body };
    },
    'POST /auth/logout': () => ({ status: 204 }),
  });
  signIn(saved);
});

afterEach(async () => {
  stopEvents();
  stopOutbox();
  for (const userId of ['user-1', 'user-2']) await outboxStore.discardAll(userId);
  resetOutbox();
  resetNavigation();
  clearTokens();
  resetSession();
  connection.isReachable = true;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function signIn(user: User, token = tokenOf(user.id)): void {
  storeTokens({ access_token: token, refresh_token: `refresh-${user.id}` });
  session.user = user;
  applyUser({ user, features: user.features });
}

const settle = (seconds = 0) => vi.advanceTimersByTimeAsync(seconds * 1000);
const block = (...ids: string[]) => sendOrStore('updateBlocklist', { body: { blocked_tag_ids: ids } });
const goAway = () => {
  const answer = api.replies['PUT /users/blocklist']!;
  api.replies['PUT /users/blocklist'] = () => 'away';
  return () => {
    api.replies['PUT /users/blocklist'] = answer;
  };
};
const blocked = () => session.user?.settings.blocked_tag_ids;
const lists = () => api.writes.map(({ body }) => (body as { blocked_tag_ids: string[] }).blocked_tag_ids);

test('with a network the call is made with a key, and nothing is stored', async () => {
  expect(await block('a')).toEqual({ isStored: false, reply: { blocked_tag_ids: ['a'] } });
  expect(api.writes).toEqual([
    expect.objectContaining({ line: 'PUT /users/blocklist', key: expect.stringMatching(/^\w{32}$/) }),
  ]);
  expect(await outboxStore.list('user-1')).toEqual([]);
});

test('what gets no answer is stored under the key of its first attempt, shown, and sent when the network is back', async () => {
  const comeBack = goAway();
  expect(await block('a')).toEqual({ isStored: true, temporaryId: null });
  await settle();
  expect([blocked(), outbox.entries.length]).toEqual([['a'], 1]);
  comeBack();
  recovered.emit();
  await settle();
  const keys = new Set(api.writes.map(({ key }) => key));
  expect([keys.size, outbox.entries.length, blocked(), saved.settings.blocked_tag_ids]).toEqual([1, 0, ['a'], ['a']]);
});

test('a start with a clock that is years ahead drops nothing that waits for somebody else', async () => {
  goAway();
  await block('a');
  const right = Date.now();
  for (const clock of [right, right + 10 * 365 * 86_400_000, right]) {
    stopOutbox();
    vi.setSystemTime(clock);
    signIn(person('pro', { id: 'user-2' }));
    startOutbox();
    await settle();
  }
  expect(await outboxStore.list('user-1')).toHaveLength(1);
});

test('a change behind others that wait is not sent before them', async () => {
  const comeBack = goAway();
  await block('a');
  comeBack();
  connection.isReachable = true;
  expect((await block('a', 'b')).isStored).toBe(true);
  await settle(60);
  expect(lists().slice(-2)).toEqual([['a'], ['a', 'b']]);
  expect(blocked()).toEqual(['a', 'b']);
});

test('a change that waits is shown over what another device has changed meanwhile', async () => {
  goAway();
  const send = (blocked_tag_ids: string[], known: string[]) =>
    sendOrStore('updateBlocklist', { body: { blocked_tag_ids, known } });
  await send(['a'], []);
  await send(['a', 'b'], ['a']);
  await settle();
  const settings = { ...saved.settings, blocked_tag_ids: ['theirs'] };
  applyUser({ user: { ...saved, settings }, features: saved.features });
  expect([...(blocked() ?? [])].sort()).toEqual(['a', 'b', 'theirs']);
});

test('while the network is known to be gone a change is stored at once', async () => {
  connection.isReachable = false;
  expect((await block('a')).isStored).toBe(true);
});

test('a change that waits for its answer in vain is not overtaken', async () => {
  api.replies['PUT /users/blocklist'] = () => 'silent';
  const both = Promise.all([block('a'), block('a', 'b')]);
  await settle(limits.callTimeoutSeconds * 2);
  expect((await both).map(({ isStored }) => isStored)).toEqual([true, true]);
  const stored = await outboxStore.list('user-1');
  expect(stored.map(({ body }) => body)).toEqual([{ blocked_tag_ids: ['a'] }, { blocked_tag_ids: ['a', 'b'] }]);
});

test('a refusal is thrown and not stored', async () => {
  api.replies['PUT /users/blocklist'] = () => ({ status: 400, json: { error: 'validation_failed', message: 'No' } });
  await expect(block('a')).rejects.toThrow('No');
  expect([await outboxStore.list('user-1'), blocked()]).toEqual([[], []]);
});

test('a later refusal goes back on the screen, is kept with its sentence, and can be tried again', async () => {
  const comeBack = goAway();
  await block('a');
  const answer = api.replies['PUT /users/blocklist'];
  api.replies['PUT /users/blocklist'] = () => ({ status: 400, json: { error: 'validation_failed', message: 'No' } });
  expect(await sendNow()).toBe(false);
  await settle();
  expect([blocked(), outbox.entries.map(({ state, refusal }) => [state, refusal])]).toEqual([[], [['refused', 'No']]]);
  api.replies['PUT /users/blocklist'] = answer!;
  comeBack();
  await retryChange(outbox.entries[0]!);
  await settle();
  expect([blocked(), outbox.entries]).toEqual([['a'], []]);
});

test('a discarded change goes back on the screen', async () => {
  goAway();
  connection.isReachable = false;
  await block('a');
  await block('a', 'b');
  await discardChange(outbox.entries[1]!);
  expect(blocked()).toEqual(['a']);
  await discardAllChanges();
  expect([blocked(), outbox.entries]).toEqual([[], []]);
});

test('the server that asks for a wait gets it', async () => {
  connection.isReachable = false;
  const answer = api.replies['PUT /users/blocklist']!;
  api.replies['PUT /users/blocklist'] = () => ({ status: 429, json: { error: 'rate_limited' }, retryAfter: 30 });
  await block('a');
  await settle();
  api.replies['PUT /users/blocklist'] = answer;
  recovered.emit();
  await settle(29);
  expect(api.writes).toHaveLength(1);
  await settle(1);
  expect([api.writes.length, outbox.entries]).toEqual([2, []]);
});

describe('an access token that is refused', () => {
  beforeEach(() => {
    stopEvents = subscribeSessionEvents();
    const answer = api.replies['PUT /users/blocklist']!;
    api.replies['PUT /users/blocklist'] = (asked) =>
      asked.token === tokenOf('user-1', 2) ? answer(asked) : { status: 401, json: { error: 'token_expired' } };
    connection.isReachable = false;
  });

  test('is refreshed once, and the change is sent', async () => {
    api.replies['POST /auth/refresh'] = () => ({
      json: { access_token: tokenOf('user-1', 2), refresh_token: 'refresh-2' },
    });
    await block('a');
    await settle();
    expect([outbox.entries, saved.settings.blocked_tag_ids]).toEqual([[], ['a']]);
  });

  test('ends the session without a dialog, and the change waits for the sign-in of its owner', async () => {
    api.replies['POST /auth/refresh'] = () => ({ status: 401, json: { error: 'token_reused' } });
    api.replies['GET /users/profile'] = () => nobody;
    await block('a');
    await settle(120);
    expect([session.user, navigation.dialog, refreshToken(), outbox.entries]).toEqual([null, null, null, []]);
    signIn(person('pro'), tokenOf('user-1', 2));
    await settle();
    expect([saved.settings.blocked_tag_ids, await outboxStore.list('user-1')]).toEqual([['a'], []]);
  });
});

describe('of another person', () => {
  const other = person('basic', { id: 'user-2', username: 'bob' });

  test('nothing is seen or sent, and it is there when its owner is back', async () => {
    const comeBack = goAway();
    await block('a');
    await keepChanges();
    api.replies['GET /users/profile'] = () => nobody;
    await endLocalSession();
    await settle();
    comeBack();
    const before = api.writes.length;
    signIn(other);
    await settle(120);
    recovered.emit();
    await settle();
    expect([api.writes.length, outbox.entries, blocked()]).toEqual([before, [], []]);
    signIn(person('pro'));
    await settle();
    expect([saved.settings.blocked_tag_ids, api.writes[before]?.token]).toEqual([['a'], tokenOf('user-1')]);
  });

  test('after seven days nothing is left', async () => {
    goAway();
    await block('a');
    stopOutbox();
    for (let halfDay = 0; halfDay < 2 * limits.outboxKeptDays; halfDay += 1) {
      await keepChanges();
      vi.setSystemTime(Date.now() + 43_200_000);
    }
    startOutbox();
    await settle();
    expect(await outboxStore.list('user-1')).toEqual([]);
  });

  test('the token is not used, also before this tab knows who has signed in elsewhere', async () => {
    connection.isReachable = false;
    goAway();
    await block('a');
    await settle();
    const before = api.writes.length;
    storeTokens({ access_token: tokenOf('user-2'), refresh_token: 'refresh-user-2' });
    expect(await sendNow()).toBe(false);
    connection.isReachable = true;
    expect((await block('b')).isStored).toBe(true);
    expect(api.writes.slice(before)).toEqual([]);
    expect(api.asked.filter(({ token }) => token === tokenOf('user-2'))).toEqual([]);
  });
});

describe('a channel that was made without a network', () => {
  const tag = { id: 'tag-7', name: 'Night', aliases: [] };

  beforeEach(() => {
    connection.isReachable = false;
    api.replies['POST /api/videos/v1/tags'] = () => ({ json: { tags: [] } });
    api.replies['DELETE /api/tags/tag-7'] = () => ({ status: 204 });
  });

  const make = async () => {
    const sent = await sendOrStore('createTag', { body: { name: 'Night' } });
    const id = (sent.isStored && sent.temporaryId) as string;
    await sendOrStore('assignTags', { params: { path: 'v1' }, body: { tag_ids: [id] }, subject: 'Cabin.mp4' });
    return id;
  };

  test('is referred to by what comes after it, also once the server has given its id', async () => {
    const id = await make();
    api.replies['POST /api/tags'] = () => ({ status: 201, json: { tag } });
    await sendNow();
    connection.isReachable = true;
    await sendOrStore('deleteTag', { params: { id } });
    expect(api.writes.slice(-3).map(({ line, body }) => [line, body])).toEqual([
      ['POST /api/tags', { name: 'Night' }],
      ['POST /api/videos/v1/tags', { tag_ids: ['tag-7'] }],
      ['DELETE /api/tags/tag-7', null],
    ]);
  });

  test('after a day is the one of that name, where the server has one', async () => {
    await make();
    vi.setSystemTime(Date.now() + limits.idempotencyHours * 3_600_000);
    api.replies['POST /api/tags'] = () => ({ status: 409, json: { error: 'conflict', message: 'Taken' } });
    api.replies['GET /api/tags'] = () => ({ json: { tags: [{ ...tag, name: 'night' }], total_pages: 1 } });
    await sendNow();
    expect(api.writes.slice(-1)[0]?.body).toEqual({ tag_ids: ['tag-7'] });
    expect(outbox.entries).toEqual([]);
  });

  test('and was discarded leaves nothing to refer to', async () => {
    const id = await make();
    await discardChange(outbox.entries[0]!);
    await sendNow();
    expect(outbox.entries.map(({ refusal }) => refusal)).toEqual(['The channel that it needs was not created.']);
    await discardAllChanges();
    connection.isReachable = true;
    await expect(sendOrStore('deleteTag', { params: { id } })).rejects.toThrow('was not created');
  });
});

test('nothing else of the profile can be stored', async () => {
  const body = { settings: {}, email: 'a@b.c', current_password: 'secret' };
  await expect(sendOrStore('updateProfile', { body })).rejects.toThrow('must not wait');
  expect([api.asked, await outboxStore.list('user-1')]).toEqual([[], []]);
});

test('whoever is not signed in stores nothing', async () => {
  api.replies['GET /users/profile'] = () => nobody;
  await endLocalSession();
  goAway();
  await expect(block('a')).rejects.toThrow();
  expect(await outboxStore.list('user-1')).toEqual([]);
});
