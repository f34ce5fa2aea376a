import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import type { TaggedVideo, TaggingList } from '#contract/entities/tagging.ts';
import { taggingListSchema, videoTagsSchema } from '#contract/entities/tagging.ts';
import { isUntagged } from '#contract/rules/tag.ts';
import { putVideos, smallVideo } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
putVideos(folder, 'Cats/a.mp4', 'Cats/b.mp4', 'Cats/c.mp4', 'Dogs/d.mp4', 'Dogs/e.mp4', 'loose.mp4');
const server = await startServer({ library: [folder], overrides: { jobTimes: { poll: 10 } } }, afterFile);
const { headers } = await putPerson(server, 'keeper', 'admin');
const { database, scanner } = server.services;

const send = (method: 'POST' | 'DELETE', url: string, payload?: object) =>
  server.call(method, url, { headers, ...(payload === undefined ? {} : { payload }) });
const read = async (url: string) => (await server.get(url, headers)).json();
const tagsUrl = (path: string) => `/api/videos/${encodeURIComponent(path)}/tags`;
const listPage = async (query = ''): Promise<TaggingList> =>
  taggingListSchema.parse(await read(`/api/videos/tagging?limit=100${query}`));
const listTags = async (): Promise<{ id: string; name: string }[]> => (await read('/api/tags')).tags;
const tagId = async (name: string) => (await listTags()).find((tag) => tag.name === name)?.id ?? '';
/** `/` stands behind the names of those that the folder gave. */
const namesOf = ({ tags }: Pick<TaggedVideo, 'tags'>) => tags.map((tag) => `${tag.name}${tag.by_folder ? '/' : ''}`);
const tagsOf = async (path: string) => namesOf(videoTagsSchema.parse(await read(tagsUrl(path))));
const assign = (path: string, id: string, isByFolder = false) =>
  send('POST', tagsUrl(path), { tag_ids: [id], by_folder: isByFolder });
const remove = (path: string, id: string) => send('DELETE', `${tagsUrl(path)}/${id}`);

test('tags of folders are marked in lists and replies, and do not count as tagged', async () => {
  const { videos, counts } = await listPage();
  expect(videos.map((one) => [one.video.path, namesOf(one)]).sort()).toEqual([
    ['Cats/a.mp4', ['Cats/']],
    ['Cats/b.mp4', ['Cats/']],
    ['Cats/c.mp4', ['Cats/']],
    ['Dogs/d.mp4', ['Dogs/']],
    ['Dogs/e.mp4', ['Dogs/']],
    ['loose.mp4', []],
  ]);
  expect(counts).toEqual({ untagged: 6, tagged: 0, total: 6 });
});

test('what somebody did to a tag of a folder can be given back to the folder, and stays so after a scan', async () => {
  const [cats, dogs] = [await tagId('Cats'), await tagId('Dogs')];
  const path = 'Cats/a.mp4';
  await assign(path, cats);
  expect([await tagsOf(path), (await listPage()).counts.untagged]).toEqual([['Cats'], 5]);
  const back = await assign(path, cats, true);
  expect(namesOf(videoTagsSchema.parse(back.json()))).toEqual(['Cats/']);
  expect((await listPage()).counts.untagged).toBe(6);
  await remove(path, cats);
  expect([await tagsOf(path), (await listPage()).counts.untagged]).toEqual([[], 6]);
  await assign(path, cats, true);
  await scanner.request();
  expect([await tagsOf(path), (await listPage()).counts.untagged]).toEqual([['Cats/'], 6]);
  // A tag that the folder does not give is put on as by anybody.
  await assign(path, dogs, true);
  expect(await tagsOf(path)).toEqual(['Cats/', 'Dogs']);
  await remove(path, dogs);
});

const acts = ['assign', 'assign', 'give back', 'remove', 'remove', 'scan', 'merge', 'merge', 'delete', 'undo'] as const;
let made = 0;

const choose = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % items.length];

/** A file comes, or moves, or goes. */
function disturbFiles(at: number): void {
  made += 1;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mp4'));
  const file = choose(files, at) ?? '';
  const to = join(folder, choose(['Cats', 'Dogs', 'Eels'], made) ?? '');
  mkdirSync(to, { recursive: true });
  if (at % 3 === 1 && files.length > 4) rmSync(join(folder, file));
  else if (at % 3 === 2) renameSync(join(folder, file), join(to, `moved-${made}.mp4`));
  else {
    const bytes = readFileSync(smallVideo());
    bytes.writeUInt32BE(made, bytes.length - 4);
    writeFileSync(join(to, `new-${made}.mp4`), bytes);
  }
}

async function act(what: (typeof acts)[number], video: number, other: number): Promise<void> {
  const [{ videos }, tags] = [await listPage(), await listTags()];
  const path = choose(videos, video)?.video.path ?? '';
  const [tag, into] = [choose(tags, other)?.id ?? '', choose(tags, other + 1)?.id ?? ''];
  if (what === 'assign' || what === 'give back') await assign(path, tag, what === 'give back');
  else if (what === 'remove') await remove(path, choose(choose(videos, video)?.tags ?? [], other)?.id ?? tag);
  else if (what === 'merge') await send('POST', `/api/tags/${tag}/merge`, { into });
  else if (what === 'delete') await send('DELETE', `/api/tags/${tag}`);
  else if (what === 'undo') {
    const { changes }: { changes: TagChangeRecord[] } = await read('/api/admin/tags/changes?limit=100');
    const change = choose(
      changes.filter(({ state }) => state === 'done'),
      other,
    );
    if (change) await send('POST', `/api/admin/tags/changes/${change.id}/undo`);
  } else {
    disturbFiles(video);
    await scanner.request();
  }
}

async function untilIdle(): Promise<void> {
  const active = () => database.reader.selectFrom('jobs').select('kind').where('active_key', 'is not', null).execute();
  await vi.waitFor(async () => expect(await active()).toEqual([]), { interval: 5 });
}

test('untagged and tagged are all there is, and the same by rows, counts and filters, whatever happens', async () => {
  await send('POST', '/api/tags', { name: 'Night' });
  await send('POST', '/api/tags', { name: 'Rain' });
  const steps = fc.array(fc.tuple(fc.constantFrom(...acts), fc.nat(50), fc.nat(50)), { minLength: 8, maxLength: 8 });
  const holds = fc.asyncProperty(steps, async (sequence) => {
    for (const [what, video, other] of sequence) {
      await act(what, video, other);
      const { counts } = await listPage();
      expect([counts.untagged + counts.tagged, Math.min(counts.untagged, counts.tagged) >= 0]).toEqual([
        counts.total,
        true,
      ]);
      await untilIdle();
      const [all, only, first] = [
        await listPage(),
        await listPage('&show_untagged_only=true'),
        await listPage('&untagged_first=true'),
      ];
      const byRows = all.videos.filter(({ tags }) => isUntagged(tags)).map(({ video }) => video.id);
      expect([only.counts.untagged, only.total, all.total]).toEqual([byRows.length, byRows.length, only.counts.total]);
      expect(only.videos.map(({ video }) => video.id)).toEqual(byRows);
      expect(first.videos.slice(0, byRows.length).map(({ video }) => video.id)).toEqual(byRows);
    }
  });
  await fc.assert(holds, { numRuns: 3, endOnFailure: true });
});
