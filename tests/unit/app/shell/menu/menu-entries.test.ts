import { expect, test, vi } from 'vitest';
import { isWithin, menuEntriesFor } from '#app/shell/menu/menu-entries.tsx';
import { views } from '#app/views.ts';

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => null }));

const labels = (tier: 'basic' | 'admin' | null) =>
  menuEntriesFor(tier && { effective_tier: tier }).map(({ label }) => label);

test('§2 Side menu: who sees which entries, in which order', () => {
  expect(labels(null)).toEqual(['Feed', 'Videos', 'Profile']);
  expect(labels('basic')).toEqual(['Feed', 'Videos', 'Upload', 'Tagging', 'Profile']);
  expect(labels('admin')).toEqual(['Feed', 'Videos', 'Upload', 'Tagging', 'Performance', 'Profile']);
});

test('an entry that expands is for those whom its pages are for', () => {
  const groups = menuEntriesFor({ effective_tier: 'admin' }).filter(({ pages }) => pages.length > 0);
  expect(groups.map(({ label }) => label)).toEqual(['Tagging']);
  for (const { view, pages } of groups) {
    for (const page of pages) expect(views[page.name].audience).toBe(views[view].audience);
  }
});

test('administration has no entry: it is reached from Profile', () => {
  const reached = menuEntriesFor({ effective_tier: 'admin' }).flatMap(({ view, pages }) => [
    view,
    ...pages.map((page) => page.name),
  ]);
  expect(Object.keys(views).filter((view) => !(reached as string[]).includes(view))).toEqual(['admin']);
});

test('Tagging is current on both of its pages', () => {
  const tagging = menuEntriesFor({ effective_tier: 'basic' }).find(({ label }) => label === 'Tagging')!;
  expect([isWithin(tagging, 'tag-management'), isWithin(tagging, 'video-tagging'), isWithin(tagging, 'feed')]).toEqual([
    true,
    true,
    false,
  ]);
});
