import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdit, invertEdit, planAddition, planRemoval } from '#app/features/video-tagging/change-tags.ts';
import { countsNow } from '#app/features/video-tagging/videos-store.ts';
import type { VideoTag } from '#contract/entities/tag.ts';
import { isUntagged } from '#contract/rules/tag.ts';

const label = (id: string): VideoTag => ({ id, name: id.toUpperCase(), color: '#112233' });
const item = (id: string, ...tags: string[]) => ({ video: { id, path: `${id}.mp4` }, tags: tags.map(label) });
const idsOf = (tags: readonly { id: string }[]) => tags.map(({ id }) => id).join();

test('an addition is planned for the videos that lack a tag, and of the tags that they lack', () => {
  const edits = planAddition([item('x', 'a'), item('y'), item('z', 'a', 'b')], [label('a'), label('b')]);
  expect(edits.map(({ id, added, removed }) => [id, idsOf(added), idsOf(removed)])).toEqual([
    ['x', 'b', ''],
    ['y', 'a,b', ''],
  ]);
});

test('a removal is planned for the videos that have a tag', () => {
  const edits = planRemoval([item('x', 'a'), item('y')], [label('a'), label('b')]);
  expect(edits.map(({ id, path, removed }) => [id, path, idsOf(removed)])).toEqual([['x', 'x.mp4', 'a']]);
});

test('an edit applied twice is applied once, and inverted takes itself back', () => {
  const [edit] = planAddition([item('x', 'a')], [label('b')]) as [ReturnType<typeof planAddition>[0]];
  const once = applyEdit([label('a')], edit);
  expect([idsOf(once), idsOf(applyEdit(once, edit))]).toEqual(['a,b', 'a,b']);
  expect(idsOf(applyEdit(once, invertEdit(edit)))).toBe('a');
});

test('counts follow what was changed on the page since they came', () => {
  const loaded = { counts: { untagged: 5, tagged: 7, total: 12 }, wereUntagged: { x: true, y: false, z: true } };
  const items = [item('x', 'a'), item('y'), item('z'), item('of-another-page')];
  expect(countsNow(loaded, items)).toEqual({ untagged: 5, tagged: 7, total: 12 });
  expect(countsNow(loaded, items.slice(0, 1))).toEqual({ untagged: 4, tagged: 8, total: 12 });
  expect(countsNow({ ...loaded, counts: null }, items)).toBeNull();
});

const byFolder = (id: string): VideoTag => ({ ...label(id), by_folder: true });
const marked = (tags: readonly VideoTag[]) => tags.map((tag) => `${tag.id}${tag.by_folder ? '/' : ''}`).join();

test('an addition takes over a tag of the folder, and inverted gives it back', () => {
  const tags = [byFolder('a'), label('b')];
  const [edit] = planAddition([{ ...item('x'), tags }], [label('a'), label('b')]) as [
    ReturnType<typeof planAddition>[0],
  ];
  const once = applyEdit(tags, edit);
  expect([marked(once), marked(applyEdit(once, edit))]).toEqual(['a,b', 'a,b']);
  expect(marked(applyEdit(once, invertEdit(edit)))).toBe('a/,b');
});

test('a removal remembers which tags were the folders', () => {
  const tags = [byFolder('a'), label('b')];
  const [edit] = planRemoval([{ ...item('x'), tags }], [label('a'), label('b')]) as [ReturnType<typeof planRemoval>[0]];
  expect([marked(applyEdit(tags, edit)), marked(applyEdit([], invertEdit(edit)))]).toEqual(['', 'a/,b']);
});

test('counts of a page are never negative, and change as tags of people come and go, not those of folders', () => {
  const tag = fc.record({ id: fc.constantFrom('a', 'b', 'c'), by_folder: fc.constantFrom(true as const, undefined) });
  const tags = fc
    .uniqueArray(tag, { selector: ({ id }) => id })
    .map((chosen) => chosen.map(({ id, by_folder }) => (by_folder ? byFolder(id) : label(id))));
  const pages = fc.array(fc.tuple(tags, tags), { maxLength: 12 });
  fc.assert(
    fc.property(pages, fc.nat(3), fc.nat(3), (page, others, skew) => {
      const wereUntagged = Object.fromEntries(page.map(([before], at) => [String(at), isUntagged(before)]));
      const untaggedOf = (side: 0 | 1) => page.filter((video) => isUntagged(video[side])).length;
      const total = page.length + others;
      // Somebody else may have changed some between the counts and the rows of one reply.
      const untagged = Math.max(0, untaggedOf(0) - skew);
      const items = page.map(([, tags], at) => ({ video: { id: String(at) }, tags }));
      const now = countsNow({ counts: { untagged, tagged: total - untagged, total }, wereUntagged }, items);
      expect(now?.total).toBe(total);
      expect((now?.untagged ?? 0) + (now?.tagged ?? 0)).toBe(total);
      expect(Math.min(now?.untagged ?? -1, now?.tagged ?? -1)).toBeGreaterThanOrEqual(0);
      if (skew === 0) expect(now?.untagged).toBe(untaggedOf(1));
    }),
  );
});
