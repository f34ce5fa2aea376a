import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { TagChangeRecord, TagImportReply } from '#contract/entities/tag.ts';
import {
  tagChangeListSchema,
  tagChangeReplySchema,
  tagImportReplySchema,
  tagListSchema,
} from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

const patient = { interval: 5 };
const names = ['a.mp4', 'b.mp4', 'c.mp4'];

interface Site {
  folder: string;
  server: ServerUnderTest;
  headers: Record<string, string>;
}

async function startSite(): Promise<Site> {
  const folder = temporaryFolder(afterFile);
  putVideos(folder, ...names);
  const server = await startServer({ library: [folder], overrides: { jobTimes: { poll: 10 } } }, afterFile);
  const { headers } = await putPerson(server, 'keeper', 'admin');
  return { folder, server, headers };
}

const [site, other] = [await startSite(), await startSite()];

async function importInto({ server, headers }: Site, text: string, facts: object = {}): Promise<TagImportReply> {
  const payload = { filename: 'tags.csv', format: 'csv', text, ...facts };
  const reply = await server.call('POST', '/api/admin/tags/import', { headers, payload });
  const answer = tagImportReplySchema.parse(reply.json());
  expect(reply.statusCode).toBe(answer.change === null ? 200 : 202);
  return answer;
}

async function untilState({ server, headers }: Site, id: string, state: string): Promise<TagChangeRecord> {
  return vi.waitFor(async () => {
    const list = tagChangeListSchema.parse((await server.get('/api/admin/tags/changes', headers)).json());
    const change = list.changes.find((listed) => listed.id === id);
    expect(change?.state).toBe(state);
    return change as TagChangeRecord;
  }, patient);
}

async function importAll(place: Site, text: string, facts: object = {}): Promise<TagChangeRecord> {
  const { change } = await importInto(place, text, facts);
  return untilState(place, change?.id ?? '', 'done');
}

async function readTags({ server }: Site) {
  return tagListSchema.parse((await server.get('/api/tags')).json()).tags;
}

async function exportFrom({ server, headers }: Site, format: 'csv' | 'json'): Promise<string> {
  const reply = await server.get(`/api/admin/tags/export?format=${format}`, headers);
  expect(reply.statusCode).toBe(200);
  expect(reply.headers['content-disposition']).toBe(`attachment; filename="channels.${format}"`);
  return reply.body;
}

async function labelsOf({ server, headers }: Site, path: string): Promise<string[]> {
  const { tags } = (await server.get(`/api/videos/${path}/tags`, headers)).json();
  return tags.map((tag: { name: string }) => tag.name);
}

/** The most statements that are sent without a turn for others until some work is done. */
async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let [longest, stretch, isOver] = [0, 0, false];
  const stop = watchStatements(() => {
    stretch += 1;
    longest = Math.max(longest, stretch);
  });
  const turns = (async () => {
    for (; !isOver; stretch = 0) await turn();
  })();
  await work().finally(() => {
    isOver = true;
    stop();
  });
  await turns;
  return longest;
}

const file = `tag,description,color,aliases,path
Alps,High up,#00AAFF,Alpen|The Alps,
Alps,,,,a.mp4
alpen,,,,b.mp4
"Sea, salted",,,,a.mp4
"Sea, salted",,,,gone.mp4
`;

describe('a file of tags and links', () => {
  test('says what it would change, changes nothing in a dry run, and is then taken in', async () => {
    const dry = await importInto(site, file, { dry_run: true });
    expect(dry).toMatchObject({
      tags_created: 2,
      links_added: 3,
      links_present: 0,
      details_changed: 0,
      failed: [{ line: 6, message: 'No video has this path' }],
      change: null,
    });
    expect(await readTags(site)).toEqual([]);

    const { change, ...counts } = await importInto(site, file);
    expect(counts).toEqual({ ...dry, dry_run: false, change: undefined });
    expect(change).toMatchObject({ kind: 'import', subject: 'tags.csv', made_by: 'keeper' });
    await untilState(site, change?.id ?? '', 'done');
    expect(await readTags(site)).toMatchObject([
      { name: 'Alps', description: 'High up', color: '#00AAFF', video_count: 2 },
      { name: 'Sea, salted', video_count: 1 },
    ]);
    expect((await readTags(site))[0]?.aliases.toSorted()).toEqual(['Alpen', 'The Alps']);
    expect(await importInto(site, file, { dry_run: true })).toMatchObject({
      tags_created: 0,
      links_added: 0,
      links_present: 3,
      details_changed: 0,
    });
  });

  test.each(['csv', 'json'] as const)('goes from one site to another as %s, and back out as it was', async (format) => {
    const text = await exportFrom(site, format);
    const change = await importAll(other, text, { format, filename: `channels.${format}` });
    expect(change).toMatchObject({ tags: 2, links: 3 });
    expect(await exportFrom(other, format)).toBe(text);

    const { server, headers } = other;
    const undone = await server.call('POST', `/api/admin/tags/changes/${change.id}/undo`, { headers });
    expect(undone.statusCode).toBe(202);
    await untilState(other, change.id, 'undone');
    await vi.waitFor(async () => expect(await readTags(other)).toEqual([]), patient);
    expect(await labelsOf(other, 'a.mp4')).toEqual([]);
  });

  test('leaves what people put there when it is undone', async () => {
    const sea = await importAll(site, 'tag,path\n"Sea, salted",b.mp4\n"Sea, salted",c.mp4\n');
    const id = (await readTags(site)).find((tag) => tag.name === 'Sea, salted')?.id;
    const { server, headers } = site;
    await server.call('POST', '/api/videos/c.mp4/tags', { headers, payload: { tag_ids: [id] } });
    await server.call('POST', `/api/admin/tags/changes/${sea.id}/undo`, { headers });
    await untilState(site, sea.id, 'undone');
    expect([await labelsOf(site, 'b.mp4'), await labelsOf(site, 'c.mp4')]).toEqual([['Alps'], ['Sea, salted']]);
    expect(differences(server.services.idSets, await readTruth(server.services.database))).toEqual([]);
  });

  test('that changes nothing is no change', async () => {
    expect(await importInto(site, file)).toMatchObject({ tags_created: 0, links_added: 0, change: null });
    expect(await importInto(site, 'tag\n')).toMatchObject({ failed_count: 0, change: null });
  });

  test('of many tags and links is taken in whole', async () => {
    const tags = Array.from({ length: 120 }, (_, at) => ({ name: `many ${at}`, videos: names }));
    const change = await importAll(other, JSON.stringify({ tags }), { format: 'json' });
    expect(change).toMatchObject({ tags: 120, links: 360 });
    const { idSets, database } = other.server.services;
    expect(differences(idSets, await readTruth(database))).toEqual([]);
  });

  test('of many tags lets others have a turn every few statements, and so does undoing it', async () => {
    const place = await startSite();
    const tags = Array.from({ length: 400 }, (_, at) => `many ${at}`);
    let change: TagChangeRecord | null = null;
    const stretches = [
      await longestStretch(async () => {
        change = (await importInto(place, `tag\n${tags.join('\n')}\n`)).change;
      }),
      await longestStretch(() =>
        importInto(place, `tag,path\n${tags.map((tag) => `${tag},a.mp4`).join('\n')}\n`, { dry_run: true }),
      ),
    ];
    const { id = '' } = change ?? {};
    expect(await untilState(place, id, 'done')).toMatchObject({ tags: 400 });
    const { server, headers } = place;
    stretches.push(
      await longestStretch(async () => {
        await server.call('POST', `/api/admin/tags/changes/${id}/undo`, { headers });
        await untilState(place, id, 'undone');
      }),
    );
    expect(await readTags(place)).toEqual([]);
    expect(Math.max(...stretches), stretches.join()).toBeLessThan(350);
  });

  test('is refused when it is longer than one may be', async () => {
    const { server, headers } = site;
    const payload = { filename: 'tags.csv', format: 'csv', text: 'x'.repeat(limits.importCharacters + 1) };
    const reply = await server.call('POST', '/api/admin/tags/import', { headers, payload });
    expect(reply.statusCode).toBe(400);
  });
});

describe('sidecar files', () => {
  test('beside the videos become tags, in one change that can be undone', async () => {
    const place = await startSite();
    writeFileSync(join(place.folder, 'a.nfo'), '<movie><tag>Ice</tag><genre>Nature</genre></movie>');
    writeFileSync(join(place.folder, 'b.info.json'), '{"tags":["ICE"],"categories":["Travel"]}');
    const { server, headers } = place;
    const reply = await server.call('POST', '/api/admin/tags/sidecars', { headers });
    expect(reply.statusCode).toBe(202);
    const { change } = tagChangeReplySchema.parse(reply.json());
    expect(await untilState(place, change.id, 'done')).toMatchObject({ kind: 'sidecars', tags: 3, links: 4 });
    expect((await readTags(place)).map((tag) => [tag.name, tag.video_count])).toEqual([
      ['Ice', 2],
      ['Nature', 1],
      ['Travel', 1],
    ]);
    await server.call('POST', `/api/admin/tags/changes/${change.id}/undo`, { headers });
    await untilState(place, change.id, 'undone');
    await vi.waitFor(async () => expect(await readTags(place)).toEqual([]), patient);
  });

  test('are read by one at a time', async () => {
    const place = await startSite();
    const { server, headers } = place;
    await server.services.runner.stop();
    const start = () => server.call('POST', '/api/admin/tags/sidecars', { headers });
    expect((await start()).statusCode).toBe(202);
    expect((await start()).json()).toMatchObject({
      error: 'conflict',
      message: 'Sidecar files are being read already.',
    });
  });
});
