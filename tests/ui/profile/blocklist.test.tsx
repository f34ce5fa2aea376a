import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BlocklistCard } from '#app/features/profile/blocklist-card.tsx';
import { clearTokens, storeTokens } from '#app/platform/http/token-store.ts';
import { recovered } from '#app/platform/link.ts';
import { connection } from '#app/state/connection.ts';
import { resetNavigation } from '#app/state/navigation.ts';
import { stopOutbox } from '#app/state/outbox/outbox-session.ts';
import { outbox, resetOutbox } from '#app/state/outbox/outbox-state.ts';
import { resetSession, session } from '#app/state/session.ts';
import { visitBlocklist } from '#app/state/view-requests.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { rebaseList } from '#contract/rules/text.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { person, tokens } from '#tests/unit/app/state/people.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKey, type } from '../keys.ts';

const channel = (id: string, name: string): Tag => ({
  id,
  name,
  description: '',
  color: '#112233',
  video_count: 3,
  created_at: '2026-11-21T12:00:00.000Z',
  active: true,
  aliases: [],
});

let tags: Tag[];
interface Change {
  blocked_tag_ids: string[];
  known?: string[];
}

let sent: unknown[];
/** The lists that the sent ones were made from. */
let bases: unknown[];
let onServer: string[];
let routes: Parameters<typeof fakeServer>[0];
let server: ReturnType<typeof fakeServer>;

beforeEach(() => {
  tags = [channel('a', 'Aurora'), channel('b', 'Baking')];
  sent = [];
  bases = [];
  onServer = ['b'];
  routes = {
    'GET /api/tags': () => ({ json: { tags, total: tags.length, total_pages: 1, page: 1, limit: 100 } }),
    'PUT /users/blocklist': (body) => {
      const { blocked_tag_ids, known } = body as Change;
      sent.push(blocked_tag_ids);
      bases.push(known);
      onServer = rebaseList(onServer, blocked_tag_ids, known);
      return { json: { blocked_tag_ids: onServer } };
    },
  };
  server = fakeServer(routes);
  const user = person('basic', {
    settings: {
      skip_duration_seconds: 60,
      blocked_tag_ids: ['b'],
      shortcut_keys: true,
      subtitle_language: null,
      shuffle: 'once',
    },
  });
  Object.assign(session, { phase: 'known', user, features: user.features });
});

afterEach(async () => {
  stopOutbox();
  await outboxStore.discardAll('user-1');
  await settle(() => {
    resetOutbox();
    clearTokens();
    resetSession();
    connection.isReachable = true;
  });
  localStorage.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const drawBlocklist = async () => {
  const screen = await draw(<BlocklistCard />);
  await settle();
  return screen;
};
const box = (name: string) => document.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`);
const toggle = (name: string) => settle(() => box(name)?.click());
const dialog = () => document.querySelector('[role="alertdialog"]');
const confirm = async () => {
  const buttons = [...(dialog()?.querySelectorAll('button') ?? [])];
  await settle(() => buttons.find(({ textContent }) => textContent === 'Unblock all')?.click());
  await settle();
};

test('the channels have boxes, of which the blocked ones are checked', async () => {
  const screen = await drawBlocklist();
  expect(screen.querySelector('h2')?.textContent).toBe('Channel Blocklist');
  expect([box('Aurora')?.checked, box('Baking')?.checked]).toEqual([false, true]);
  expect(screen.textContent).toContain('1 channel is blocked.');
});

test('a visit from the feed starts at it', async () => {
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView');
  await drawBlocklist();
  const scrolled = () => scroll.mock.contexts.filter((one) => one instanceof HTMLDivElement).length;
  expect([scrolled(), document.activeElement]).toEqual([0, document.body]);
  document.body.innerHTML = '';
  visitBlocklist();
  await drawBlocklist();
  expect([scrolled(), focusedName()]).toEqual([1, 'Search channels...']);
  document.body.innerHTML = '';
  document.documentElement.dataset.input = 'touch';
  visitBlocklist();
  await drawBlocklist();
  expect([scrolled(), document.activeElement]).toEqual([2, document.body]);
  delete document.documentElement.dataset.input;
  resetNavigation();
});

test('a check is saved at once, kept on the device, and said for three seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const screen = await drawBlocklist();
  await toggle('Aurora');
  await settle();
  expect([sent, session.user?.settings.blocked_tag_ids]).toEqual([[['b', 'a']], ['b', 'a']]);
  expect(localStorage.getItem('fourfold.profile')).toContain('["b","a"]');
  expect(screen.textContent).toContain('Blocklist updated successfully!');
  await settle(() => vi.advanceTimersByTime(3000));
  expect(screen.textContent).not.toContain('Blocklist updated successfully!');
});

test('two quick checks are both saved', async () => {
  await drawBlocklist();
  await settle(() => {
    box('Aurora')?.click();
    box('Baking')?.click();
  });
  await settle();
  await settle();
  expect([sent.slice(-1), session.user?.settings.blocked_tag_ids]).toEqual([[['a']], ['a']]);
});

test('a check keeps what another device has blocked meanwhile, and each one says what it was made from', async () => {
  onServer = ['b', 'theirs'];
  await drawBlocklist();
  await settle(() => {
    box('Aurora')?.click();
    box('Baking')?.click();
  });
  await settle();
  expect([sent, bases]).toEqual([
    [['b', 'a'], ['a']],
    [['b'], ['b', 'a']],
  ]);
  expect(session.user?.settings.blocked_tag_ids).toEqual(['a', 'theirs']);
});

test('what the server refuses goes back, and is said', async () => {
  routes['PUT /users/blocklist'] = () => ({ status: 500, json: { error: 'internal', message: 'Internal' } });
  const screen = await drawBlocklist();
  await toggle('Aurora');
  await settle();
  expect([box('Aurora')?.checked, session.user?.settings.blocked_tag_ids]).toEqual([false, ['b']]);
  expect(screen.textContent).toContain('Failed to save blocklist changes.');
});

test('all are unblocked after a question', async () => {
  const screen = await drawBlocklist();
  await press('Unblock all');
  expect(dialog()?.textContent).toContain(
    'Are you sure you want to unblock all channels? This will make all channels visible again.',
  );
  expect(sent).toEqual([]);
  await confirm();
  expect([sent, bases, dialog(), box('Baking')?.checked]).toEqual([[[]], [undefined], null, false]);
  expect(screen.textContent).toContain('All channels unblocked successfully!');
  expect(button('Unblock all').disabled).toBe(true);
});

test('it says how many are blocked, and how channels beyond the listed ones are found', async () => {
  routes['GET /api/tags'] = () => ({ json: { tags, total: 250, total_pages: 3, page: 1, limit: 100 } });
  const screen = await drawBlocklist();
  expect(screen.textContent).toContain('Showing 2 of 250 channels. The search finds the others.');
  const countAfter = async (change: () => Promise<void>) => {
    await change();
    await settle();
    return /shown nowhere\. (.*?\.)/.exec(screen.textContent ?? '')?.[1];
  };
  expect(await countAfter(() => toggle('Aurora'))).toBe('2 channels are blocked.');
  expect(await countAfter(() => toggle('Baking'))).toBe('1 channel is blocked.');
  expect(await countAfter(() => toggle('Aurora'))).toBe('None is blocked.');
});

/** The list of a site with more channels than it lists at once; a call can name any by their ids. */
const listOfMany = (others: readonly Tag[]) => () => {
  const [, address = ''] = server.calls[server.calls.length - 1]?.split(' ') ?? [];
  const ids = new URL(address, 'http://localhost').searchParams.get('ids')?.split(',');
  const found = ids ? [...tags, ...others].filter(({ id }) => ids.includes(id)) : tags;
  return { json: { tags: found, total: ids ? found.length : 1_000, total_pages: 1, page: 1, limit: 100 } };
};

test('blocked channels are listed first, also those beyond the first hundred, and a check moves no row', async () => {
  const zoo = channel('z', 'Zoo');
  const user = person('basic');
  user.settings.blocked_tag_ids = ['z', 'gone', 'b'];
  session.user = user;
  routes['GET /api/tags'] = listOfMany([zoo]);
  const screen = await drawBlocklist();
  const boxes = () =>
    [...screen.querySelectorAll<HTMLInputElement>('input[type="checkbox"]')].map(
      (one) => `${one.getAttribute('aria-label')} ${one.checked}`,
    );
  await settle();
  expect(boxes()).toEqual(['Baking true', 'Zoo true', 'Aurora false']);
  await toggle('Zoo');
  await settle();
  expect(sent).toEqual([['gone', 'b']]);
  expect(boxes()).toEqual(['Baking true', 'Zoo false', 'Aurora false']);
});

test('all blocked channels are listed, however many there are, with a few calls', async () => {
  const blocked = Array.from({ length: 201 }, (_, at) => channel(`tag-${at}`, `Channel ${at}`));
  const user = person('basic');
  user.settings.blocked_tag_ids = blocked.map(({ id }) => id);
  session.user = user;
  routes['GET /api/tags'] = listOfMany(blocked);
  const screen = await drawBlocklist();
  await settle();
  expect(screen.querySelectorAll('input:checked')).toHaveLength(201);
  expect(server.calls).toHaveLength(4);
});

test('a stored list of channels says its age', async () => {
  const list = { tags, total: 2, total_pages: 1, page: 1, limit: 100 };
  routes['GET /api/tags'] = () => ({ json: list, headers: { 'X-Cached-At': String(Date.now()) } });
  const screen = await drawBlocklist();
  expect(screen.textContent).toContain('Waiting for network. Listed just now.');
});

test('a failed unblocking leaves them blocked', async () => {
  routes['PUT /users/blocklist'] = () => ({ status: 500, json: { error: 'internal', message: 'Internal' } });
  const screen = await drawBlocklist();
  await press('Unblock all');
  await confirm();
  expect([dialog(), box('Baking')?.checked]).toEqual([null, true]);
  expect(screen.textContent).toContain('Failed to clear blocklist.');
});

test('more than 500 channels are not sent', async () => {
  const user = person('basic');
  user.settings.blocked_tag_ids = Array.from({ length: 500 }, (_, at) => `tag-${at}`);
  session.user = user;
  const screen = await drawBlocklist();
  await toggle('Aurora');
  expect(sent).toEqual([]);
  expect(screen.textContent).toContain('At most 500 channels can be blocked');
});

test('channels are searched on the server, and none found is said', async () => {
  const screen = await drawBlocklist();
  tags = [];
  document.querySelector<HTMLInputElement>('[role="search"] input')?.focus();
  await type('zoo');
  await pressKey('Enter');
  await settle();
  expect(server.calls.slice(-1)).toEqual(['GET /api/tags?page=1&limit=100&search=zoo']);
  expect(screen.textContent).toContain('No channels match your search');
});

test('without any channel it says so', async () => {
  tags = [];
  expect((await drawBlocklist()).textContent).toContain('No channels available');
});

test('a failed load says why, and tries again', async () => {
  const load = routes['GET /api/tags'];
  routes['GET /api/tags'] = () => ({ status: 500, json: { error: 'internal', message: 'Internal' } });
  const screen = await drawBlocklist();
  expect(screen.textContent).toContain('Failed to load channels: Internal');
  routes['GET /api/tags'] = load;
  await press('Retry');
  await settle();
  expect(box('Aurora')).not.toBe(null);
});

const waits = 'Stored on this device. It will be sent when the network is back.';

test('without a network a check waits on the device, is shown as if it was saved, and says so', async () => {
  const screen = await drawBlocklist();
  await settle(() => {
    connection.isReachable = false;
  });
  await toggle('Aurora');
  await vi.waitFor(() => expect(screen.textContent).toContain(waits));
  expect([sent, box('Aurora')?.checked, box('Baking')?.checked]).toEqual([[], true, true]);
  expect(screen.textContent).not.toContain('Blocklist updated successfully!');
  expect(localStorage.getItem('fourfold.profile')).toBeNull();
  expect(outbox.entries.map(({ call, body }) => [call, body])).toEqual([
    ['updateBlocklist', { blocked_tag_ids: ['b', 'a'], known: ['b'] }],
  ]);
});

test('once it was sent, nothing says any more that it waits', async () => {
  storeTokens(tokens());
  const answer = routes['PUT /users/blocklist'];
  routes['PUT /users/blocklist'] = undefined;
  const screen = await drawBlocklist();
  await toggle('Aurora');
  await vi.waitFor(() => expect(screen.textContent).toContain(waits));
  routes['PUT /users/blocklist'] = answer;
  await settle(() => recovered.emit());
  await vi.waitFor(() => expect(screen.textContent).not.toContain(waits));
  expect([sent, outbox.entries]).toEqual([[['b', 'a']], []]);
});

test('a check that gets no answer waits, and those after it wait behind it', async () => {
  routes['PUT /users/blocklist'] = undefined;
  const screen = await drawBlocklist();
  await toggle('Aurora');
  await vi.waitFor(() => expect(screen.textContent).toContain(waits));
  connection.isReachable = true;
  await toggle('Baking');
  await vi.waitFor(() =>
    expect(outbox.entries.map(({ body }) => body)).toEqual([
      { blocked_tag_ids: ['b', 'a'], known: ['b'] },
      { blocked_tag_ids: ['a'], known: ['b', 'a'] },
    ]),
  );
});
