import { afterEach, beforeEach, expect, test, vi } from 'vitest';
// Loaded here, so that its part is there within a few turns of the event loop.
import '#app/shell/rare-notices.tsx';
import { WaitingChanges } from '#app/shell/notices.tsx';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { startOutbox, stopOutbox } from '#app/state/outbox/outbox-session.ts';
import { readOutbox, resetOutbox } from '#app/state/outbox/outbox-state.ts';
import { resetSession, session } from '#app/state/session.ts';
import { limits } from '#contract/limits.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { assignments } from '#tests/unit/device/outbox/drafts.ts';
import { draw, press, settle } from '../draw.tsx';

beforeEach(() => {
  Object.assign(session, { phase: 'known', user: person() });
});

afterEach(async () => {
  stopOutbox();
  await outboxStore.discardAll('user-1');
  await settle(() => {
    resetOutbox();
    resetNavigation();
    resetSession();
  });
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function store(count: number, refused = 0): Promise<void> {
  for (const draft of assignments(count, { userId: 'user-1' })) await outboxStore.add(draft);
  for (let number = 0; number < refused; number += 1) {
    const entry = await outboxStore.startNext('user-1');
    await outboxStore.refuse(entry!.number, 'No');
  }
  await settle(() => void readOutbox());
}

async function drawIndicator(): Promise<HTMLElement> {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  startOutbox();
  const screen = await draw(<WaitingChanges />);
  for (let turn = 0; turn < 20; turn += 1) await settle();
  return screen;
}

test('nothing is said while nothing waits', async () => {
  expect((await drawIndicator()).textContent).toBe('');
});

test('views say under their title how much waits and how much was refused, and lead to the list', async () => {
  navigation.view = 'channels';
  await store(4, 1);
  const screen = await drawIndicator();
  const lines = () => [...screen.querySelectorAll('[role="status"] span')].map(({ textContent }) => textContent);
  expect(lines()).toEqual(['3 changes wait for the network.', '1 change was refused.']);
  await press('Show');
  expect(navigation.view).toBe('profile');
  await settle();
  expect([lines().length, screen.querySelector('button')]).toEqual([2, null]);
});

test('over the feed it is said for a while, then an icon keeps the words for screen readers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await store(1);
  const screen = await drawIndicator();
  const words = () => screen.querySelector('[role="status"] span');
  expect([words()?.textContent, words()?.className.includes('visually-hidden')]).toEqual([
    '1 change waits for the network',
    false,
  ]);
  await settle(() => vi.advanceTimersByTime(limits.offlinePillSeconds * 1000));
  expect(words()?.className).toContain('visually-hidden');
});

test('it goes when all was sent', async () => {
  await store(1);
  const screen = await drawIndicator();
  await outboxStore.discardAll('user-1');
  await settle(() => void readOutbox());
  for (let turn = 0; turn < 20; turn += 1) await settle();
  expect(screen.textContent).toBe('');
});
