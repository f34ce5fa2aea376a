import { expect, test } from 'vitest';
import { applyEdit, invertEdit, planAddition, planRemoval } from '#app/features/video-tagging/edits/tag-edit.ts';
import { countsNow } from '#app/features/video-tagging/videos-store.ts';

const label = (id: string) => ({ id, name: id.toUpperCase(), color: '#112233' });
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
