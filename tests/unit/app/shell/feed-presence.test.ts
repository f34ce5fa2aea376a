import { beforeEach, expect, test, vi } from 'vitest';
import { followFeed } from '#app/shell/feed-presence.ts';
import type { StartHandover } from '#app/start/handover.ts';
import { emptyHandover } from '#app/start/handover.ts';
import { access } from '#app/state/access.ts';
import { navigation } from '#app/state/navigation.ts';

const { heard } = vi.hoisted(() => ({ heard: [] as string[] }));

vi.mock('#app/features/feed/feed-store.ts', () => ({
  openFeed: ({ isTapped }: StartHandover) => heard.push(isTapped ? 'open with the handover' : 'open'),
  leaveFeed: () => heard.push('leave'),
  returnToFeed: () => heard.push('return'),
}));

beforeEach(() => {
  heard.length = 0;
});

test('the feed opens once, is left for another view and returned to, at once each time', () => {
  followFeed({ ...emptyHandover, isTapped: true });
  expect(heard).toEqual(['open with the handover']);
  navigation.view = 'channels';
  navigation.view = 'profile';
  expect(heard).toEqual(['open with the handover', 'leave']);
  navigation.view = 'feed';
  expect(heard).toEqual(['open with the handover', 'leave', 'return']);
});

test('the feed is left when the site closes to this browser', () => {
  access.phase = 'refused';
  expect(heard).toEqual(['leave']);
});

test('a venue opens the feed with its hours, without what the page has picked long before', async () => {
  vi.resetModules();
  const [{ followFeed: follow }, { venue }] = await Promise.all([
    import('#app/shell/feed-presence.ts'),
    import('#app/state/settings.ts'),
  ]);
  venue.isAsleep = true;
  follow({ ...emptyHandover, isTapped: true });
  expect(heard).toEqual([]);
  venue.isAsleep = false;
  expect(heard).toEqual(['open']);
  venue.isAsleep = true;
  expect(heard).toEqual(['open', 'leave']);
});
