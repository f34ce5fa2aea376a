import { afterEach, beforeEach, expect, test } from 'vitest';
import { leaveFeed, returnToFeed } from '#app/features/feed/feed-store.ts';
import { move } from '#app/features/feed/quadrant/move.ts';
import { setPinned, skip } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { resetSession, session } from '#app/state/session.ts';
import { limits } from '#contract/limits.ts';
import { person } from '../../state/people.ts';
import { picked } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

let stage: FeedStage;

/** The first video of the library and the fifth, which is prepared, have the channel `cats`; all others `dogs`. */
const channelOf = (id: string) => (id === 'a' || id === 'e' ? 'cats' : 'dogs');

beforeEach(async () => {
  stage = new FeedStage();
  const { videos } = stage.library;
  stage.library.answer = ({ exclude }) => {
    const blocked = session.user?.settings.blocked_tag_ids ?? [];
    const free = videos.filter((one) => !exclude.includes(one) && !blocked.includes(channelOf(one)));
    const id = free[0] ?? 'p';
    return { json: picked(id, videos.length, 60, channelOf(id)) };
  };
  await block();
  await stage.play();
});

afterEach(() => {
  stage.end();
  resetSession();
});

async function block(...blocked_tag_ids: string[]): Promise<void> {
  const user = person('basic', {
    settings: {
      skip_duration_seconds: 60,
      blocked_tag_ids,
      shortcut_keys: true,
      subtitle_language: null,
      shuffle: 'once',
    },
  });
  Object.assign(session, { phase: 'known', user, features: user.features });
  await stage.arrive();
}

test('a video whose channel becomes blocked is replaced all the same where it is pinned', async () => {
  setPinned('top-left', true);
  expect(stage.summary('top-left').shown?.id).toBe('a');
  await block('cats');
  stage.screen.show('top-left');
  expect([stage.summary('top-left').shown?.tagIds, stage.summary('top-left').isPinned]).toEqual([['dogs'], false]);
  expect(stage.summary('top-left').past).toEqual([]);
});

test('other videos stay, and their pins', async () => {
  setPinned('top-right', true);
  const { shown } = stage.summary('top-right');
  await block('cats');
  expect([stage.summary('top-right').shown, stage.summary('top-right').isPinned]).toEqual([shown, true]);
});

test('what is prepared of a blocked channel is dropped, and another one is prepared', async () => {
  expect(stage.nextIds()).toContain('e');
  await block('cats');
  stage.screen.show('top-left');
  await stage.arrive();
  expect(stage.nextIds()).not.toContain('e');
});

test('the answer to a call of the time before is asked for again', async () => {
  skip('top-left');
  stage.screen.show('top-left');
  stage.library.answer = null;
  stage.library.videos = ['x', ...stage.library.videos];
  stage.library.hold();
  skip('top-left');
  stage.screen.show('top-left');
  await block('cats');
  const before = stage.library.asks.length;
  let isOld = true;
  stage.library.answer = () => {
    const tagId = isOld ? 'cats' : 'dogs';
    isOld = false;
    return { json: picked(tagId === 'cats' ? 'x' : 'y', 16, 60, tagId) };
  };
  stage.library.letGo();
  await stage.arrive();
  stage.screen.show('top-left');
  await stage.arrive();
  expect(stage.library.asks.length).toBeGreaterThan(before);
  const { shown, next } = stage.summary('top-left');
  expect([shown?.id, next?.id]).not.toContain('x');
});

test('a channel that is blocked on another view is gone on the return', async () => {
  leaveFeed();
  await block('cats');
  expect(stage.summary('top-left').shown).toBe(null);
  returnToFeed();
  await stage.arrive();
  stage.screen.show('top-left');
  expect(stage.summary('top-left').shown?.tagIds).toEqual(['dogs']);
});

test('a server that does not know of the blocking yet brings nothing blocked to the screen, and is asked again', async () => {
  await block('cats');
  stage.library.answer = () => ({ json: picked('x', 16, 60, 'cats') });
  setPinned('top-left', true);
  setPinned('top-left', false);
  skip('top-left');
  await stage.arrive();
  expect(stage.summary('top-left')).toMatchObject({ coming: null, next: null, failure: 'not-loaded' });
  stage.library.answer = () => ({ json: picked('y', 16, 60, 'dogs') });
  await stage.seconds(limits.retryFailedLoadSeconds);
  expect(stage.summary('top-left')).toMatchObject({ coming: { id: 'y' }, failure: null });
});

test('a pinned video that has moved here and is still to be loaded again does not come once it is blocked', async () => {
  setPinned('top-left', true);
  move('top-left', 'top-right');
  stage.screen.layer('top-right', 'back').failNow(3);
  expect(stage.summary('top-right')).toMatchObject({ isPinned: true, coming: null, failure: 'video-error' });
  await block('cats');
  await stage.seconds(limits.retryVideoErrorSeconds);
  expect(stage.summary('top-right').isPinned).toBe(false);
  expect(stage.summary('top-right').coming?.tagIds).toEqual(['dogs']);
});
