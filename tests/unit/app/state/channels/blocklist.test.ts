import { afterEach, expect, test, vi } from 'vitest';
import { blockedTagIds, isBlocked, onBlocklistChange, resetSession, session } from '#app/state/session.ts';
import { person } from '../people.ts';

const userWith = (...blocked_tag_ids: string[]) =>
  person('basic', {
    settings: {
      skip_duration_seconds: 60,
      blocked_tag_ids,
      shortcut_keys: true,
      subtitle_language: null,
      shuffle: 'once',
    },
  });

afterEach(resetSession);

test('the blocklist is the one of whoever is signed in', () => {
  expect(blockedTagIds()).toEqual([]);
  session.user = userWith('a');
  expect(blockedTagIds()).toEqual(['a']);
});

test('one blocked channel suffices to block a video', () => {
  session.user = userWith('a');
  expect([isBlocked({ tagIds: ['b', 'a'] }), isBlocked({ tagIds: ['b'] }), isBlocked({ tagIds: [] })]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a change of the blocklist is told once, and other changes of the session are not', async () => {
  session.user = userWith('a');
  const listener = vi.fn();
  const stop = onBlocklistChange(listener);
  session.user = { ...userWith('a'), display_name: 'Mara' };
  await Promise.resolve();
  expect(listener).not.toHaveBeenCalled();
  session.user = userWith('a', 'b');
  await Promise.resolve();
  expect(listener).toHaveBeenCalledTimes(1);
  stop();
  session.user = null;
  await Promise.resolve();
  expect(listener).toHaveBeenCalledTimes(1);
});
