import { expect, test, vi } from 'vitest';
import type { TagImportReply } from '#contract/entities/tag.ts';
import { tagChangeListSchema, tagImportReplySchema } from '#contract/entities/tag.ts';
import type { VideoList } from '#contract/entities/tagging.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer(
  { env: await migratedSite(afterFile), overrides: { jobTimes: { poll: 10 } } },
  afterFile,
);
const { database, idSets } = server.services;
const { headers } = await putPerson(server, 'keeper', 'admin');
const videos = 450;
await idSets.write((transaction, changes) =>
  storeVideos(transaction, changes, videos, { found_title: 'Ebb', found_description: 'Mudflats.' }),
);
const path = (index: number) => `stored-fine-${index}.mp4`;

async function send(text: string, facts: object = {}): Promise<TagImportReply> {
  const payload = { filename: 'told.csv', format: 'csv', text, ...facts };
  return tagImportReplySchema.parse((await server.call('POST', '/api/admin/tags/import', { headers, payload })).json());
}

const untilState = (id: string | undefined, state: string) =>
  vi.waitFor(
    async () => {
      const list = tagChangeListSchema.parse((await server.get('/api/admin/tags/changes', headers)).json());
      expect(list.changes.find((change) => change.id === id)?.state).toBe(state);
    },
    { interval: 5 },
  );

async function take(text: string, facts: object = {}): Promise<TagImportReply> {
  const reply = await send(text, facts);
  await untilState(reply.change?.id, 'done');
  return reply;
}

const undo = async (reply: TagImportReply) => {
  const address = `/api/admin/tags/changes/${reply.change?.id}/undo`;
  expect((await server.call('POST', address, { headers })).statusCode).toBe(202);
  await untilState(reply.change?.id, 'undone');
};

const edit = (index: number, payload: object) =>
  server.call('PUT', `/api/videos/id-${path(index)}/details`, { headers, payload });

async function textsOf(index: number) {
  const reply = await server.get(`/api/videos/id-${path(index)}/details`, headers);
  const { title, description } = reply.json().details;
  return [title, description];
}

const found = async (search: string) => {
  const reply = await server.get(`/api/videos/by-tags?${new URLSearchParams({ search })}`);
  return (reply.json() as VideoList).total;
};

const header = 'tag,path,title,video_description\n';

test('a file gives many videos titles and descriptions, by which they are found, and its undo takes them back', async () => {
  await edit(1, { title: 'By hand', description: 'Written.' });
  const rows = Array.from({ length: videos }, (_, index) => `,${path(index)},Harbour ${index},`).join('\n');
  expect(await send(header + rows, { dry_run: true })).toMatchObject({ details_changed: videos, change: null });
  expect(await textsOf(0)).toEqual(['Ebb', 'Mudflats.']);
  const reply = await take(header + rows);
  expect(reply).toMatchObject({ tags_created: 0, links_added: 0, details_changed: videos, failed_count: 0 });
  expect([await textsOf(1), await textsOf(449)]).toEqual([
    ['Harbour 1', 'Written.'],
    ['Harbour 449', 'Mudflats.'],
  ]);
  await vi.waitFor(async () => expect(await found('harbour 44')).toBe(11), { interval: 5 });
  expect(await send(header + rows, { dry_run: true })).toMatchObject({ details_changed: 0 });

  // What somebody wrote since then stays.
  await edit(2, { title: 'Corrected' });
  await undo(reply);
  expect([await textsOf(0), await textsOf(1), await textsOf(2)]).toEqual([
    ['Ebb', 'Mudflats.'],
    ['By hand', 'Written.'],
    ['Corrected', 'Mudflats.'],
  ]);
  await vi.waitFor(async () => expect(await found('harbour')).toBe(0), { interval: 5 });
});

test.each(['csv', 'json'] as const)('an export as %s carries what people wrote, and gives it back', async (format) => {
  await edit(1, { title: 'By hand', description: 'Two\nlines, "quoted"' });
  await edit(2, { title: 'Corrected' });
  const reply = await server.get(`/api/admin/tags/export?format=${format}`, headers);
  await edit(1, { title: '', description: '' });
  await edit(2, { title: '' });
  expect(await take(reply.body, { format, filename: `channels.${format}` })).toMatchObject({ details_changed: 2 });
  expect([await textsOf(1), await textsOf(2)]).toEqual([
    ['By hand', 'Two\nlines, "quoted"'],
    ['Corrected', 'Mudflats.'],
  ]);
  expect((await server.get(`/api/admin/tags/export?format=${format}`, headers)).body).toBe(reply.body);
});

test('texts are cleaned as those that are typed, and a title that is too long is refused by its line', async () => {
  const rows = `,${path(3)},  New\u0007 \u200b tide  ,\n,${path(4)},${'x'.repeat(201)},\n,gone.mp4,Gone,\n`;
  const reply = await take(header + rows);
  expect(reply.failed).toEqual([
    { line: 3, message: 'Title must be at most 200 characters' },
    { line: 4, message: 'No video has this path' },
  ]);
  expect((await textsOf(3))[0]).toMatch(/^New\s?tide$/);
});

test('a change that is forgotten leaves no texts behind', async () => {
  const reply = await take(`${header},${path(5)},Spring tide,\n`);
  const change = await database.reader
    .selectFrom('tag_changes')
    .select('number')
    .where('id', '=', reply.change?.id ?? '')
    .executeTakeFirstOrThrow();
  const stored = () =>
    database.reader
      .selectFrom('video_detail_changes')
      .select('video_number')
      .where('change_number', '=', change.number)
      .execute();
  expect(await stored()).toHaveLength(1);
  await database.write((transaction) =>
    transaction.updateTable('tag_changes').set({ created_at: 1 }).where('number', '=', change.number).execute(),
  );
  await server.services.tagChangeSweep.start();
  await vi.waitFor(async () => expect(await stored()).toEqual([]), { interval: 5 });
  server.services.tagChangeSweep.stop();
  expect((await textsOf(5))[0]).toBe('Spring tide');
});
