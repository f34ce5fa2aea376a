import { describe, expect, test, vi } from 'vitest';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import { tagChangeListSchema, tagChangeReplySchema } from '#contract/entities/tag.ts';
import { videoListSchema } from '#contract/entities/tagging.ts';
import { limits } from '#contract/limits.ts';
import { lateMs } from '#server/database/sweep-time.ts';
import { recordChange, toChangeJob } from '#server/features/tags/changes/change-jobs.ts';
import { tagEdits } from '#server/features/tags/edit-tags.ts';
import { tagLinkRepository } from '#server/features/tags/link-repository.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock, jobTimes: { poll: 10 } } }, afterFile);
const { idSets, database, jobs } = server.services;
const admin = await putPerson(server, 'keeper', 'admin');
const dayMs = 86_400_000;
const patient = { interval: 5 };

const videos = await idSets.write(async (transaction, changes) => {
  const ids = await storeVideos(transaction, changes, 12);
  const rows = await transaction.selectFrom('videos').select('number').execute();
  await idSets.putUntagged(
    transaction,
    changes,
    rows.map((row) => row.number),
  );
  return ids;
});
const pathOf = (index: number) => `stored-fine-${index}.mp4`;

const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
  server.call(method, url, { headers: admin.headers, ...(payload === undefined ? {} : { payload }) });

/** A tag on some of the videos. @returns its id */
async function create(name: string, on: readonly number[] = []): Promise<string> {
  const { id } = (await send('POST', '/api/tags', { name })).json().tag;
  for (const index of on) await put(id, index);
  return id;
}

const put = (id: string, index: number) => send('POST', `/api/videos/${pathOf(index)}/tags`, { tag_ids: [id] });

const readOne = async (id: string) => (await server.get(`/api/tags/${id}`, admin.headers)).json().tag;

async function listChanges(): Promise<TagChangeRecord[]> {
  const reply = await server.get('/api/admin/tags/changes?limit=100', admin.headers);
  return tagChangeListSchema.parse(reply.json()).changes;
}

async function untilState(id: string, state: TagChangeRecord['state']): Promise<TagChangeRecord> {
  return vi.waitFor(async () => {
    const change = (await listChanges()).find((listed) => listed.id === id);
    expect(change?.state).toBe(state);
    return change as TagChangeRecord;
  }, patient);
}

async function startMerge(from: string, into: string): Promise<TagChangeRecord> {
  const reply = await send('POST', `/api/tags/${from}/merge`, { into });
  expect(reply.statusCode).toBe(202);
  return tagChangeReplySchema.parse(reply.json()).change;
}

async function merge(from: string, into: string): Promise<string> {
  const { id } = await startMerge(from, into);
  await untilState(id, 'done');
  return id;
}

async function undo(id: string): Promise<void> {
  const reply = await send('POST', `/api/admin/tags/changes/${id}/undo`);
  expect([reply.statusCode, reply.json().message]).toEqual([202, undefined]);
  await untilState(id, 'undone');
}

async function expectNoUndo(id: string, message: string): Promise<void> {
  const reply = await send('POST', `/api/admin/tags/changes/${id}/undo`);
  expect([reply.statusCode, reply.json().message]).toEqual([409, message]);
}

/** Which of the videos a filter has, by number, oldest first. */
async function on(...ids: string[]): Promise<number[]> {
  const query = `tag_ids=${ids.join()}&filter_mode=AND&limit=100`;
  const reply = await server.get(`/api/videos/by-tags?${query}`);
  return videoListSchema
    .parse(reply.json())
    .videos.map((video) => videos.indexOf(video.id))
    .sort((a, b) => a - b);
}

async function latest(): Promise<string> {
  return (await listChanges())[0]?.id ?? '';
}

/** Sets are as the tables, once all that goes on in the background is over. */
async function expectTrue(): Promise<void> {
  await vi.waitFor(async () => {
    const active = await database.reader
      .selectFrom('jobs')
      .select('kind')
      .where('active_key', 'is not', null)
      .execute();
    expect(active).toEqual([]);
  }, patient);
  expect(differences(idSets, await readTruth(database))).toEqual([]);
}

describe('a merge', () => {
  test('moves links, keeps the name as an alias, and says what it did', async () => {
    const [from, into] = [await create('Surf', [0, 1, 2]), await create('Waves', [2, 3])];
    const started = await startMerge(from, into);
    expect(started).toMatchObject({ kind: 'merge', subject: 'Surf', detail: 'Waves', made_by: 'keeper', tags: 1 });
    expect(await untilState(started.id, 'done')).toMatchObject({ links: 2, error: null });
    expect(await on(into)).toEqual([0, 1, 2, 3]);
    expect(await readOne(into)).toMatchObject({ aliases: ['Surf'], video_count: 4 });
    expect((await server.get(`/api/tags/${from}`)).statusCode).toBe(404);
    expect((await server.get('/api/tags?active=false', admin.headers)).json().tags).toEqual([]);
    expect((await send('POST', '/api/tags', { name: 'surf' })).json().message).toBe('Surf is another name of Waves.');
    await expectTrue();
  });

  test('has filters, blocklists and picks that name the one mean the other', async () => {
    const [first, second, into] = [await create('A1', [0]), await create('A2', [1]), await create('A3', [2])];
    await merge(first, second);
    await merge(second, into);
    expect(await on(first)).toEqual([0, 1, 2]);
    expect(await on(first, second, into)).toEqual([0, 1, 2]);
    const pick = (query: string) => server.get(`/api/video/top-left?${query}`);
    expect((await pick(`tag_ids=${first},${into}&filter_mode=AND`)).json().matching).toBe(3);
    expect((await pick(`blocked_tag_ids=${first}`)).json().matching).toBe(9);
    await send('PUT', '/users/blocklist', { blocked_tag_ids: [first] });
    expect((await server.get('/api/video/top-left', admin.headers)).json().matching).toBe(9);
    await send('PUT', '/users/blocklist', { blocked_tag_ids: [] });
    const named = (await server.get(`/api/tags?ids=${first},none,${into}`)).json();
    expect([named.total, named.tags.map(({ id }: { id: string }) => id)]).toEqual([1, [into]]);
    await put(first, 5);
    expect(await on(into)).toEqual([0, 1, 2, 5]);
    expect((await readOne(into)).aliases).toEqual(['A1', 'A2']);
    const dropped = await send('PUT', `/api/tags/${into}/aliases`, { aliases: ['A2'] });
    expect(dropped.json().tag.aliases).toEqual(['A2']);
  });

  test('needs two active tags that are not being merged', async () => {
    const [from, into, gone, third] = [await create('B1'), await create('B2'), await create('B3'), await create('B4')];
    await send('DELETE', `/api/tags/${gone}`);
    const refused = async (a: string, b: string) =>
      (await send('POST', `/api/tags/${a}/merge`, { into: b })).statusCode;
    expect(await refused(from, from)).toBe(400);
    for (const [a, b] of [
      [from, gone],
      [gone, from],
      [from, 'none'],
      ['none', from],
    ] as const)
      expect(await refused(a, b)).toBe(404);
    // Nobody works on this one, so it stays as it is.
    await database.write((transaction) =>
      transaction
        .updateTable('tags')
        .set((where) => ({
          merged_into: where.selectFrom('tags as other').select('number').where('other.id', '=', into),
        }))
        .where('id', '=', from)
        .execute(),
    );
    for (const [a, b] of [
      [from, third],
      [third, from],
      [into, third],
      [third, into],
    ] as const)
      expect(await refused(a, b)).toBe(409);
    for (const id of [from, into])
      for (const url of [`/api/tags/${id}`, `/api/tags/${id}/hard-delete`])
        expect((await send('DELETE', url)).statusCode).toBe(409);
  });

  test('takes a folder’s link over where people had put the other', async () => {
    const [from, into] = [await create('C1', [6]), await create('C2', [7])];
    await put(into, 6);
    await database.write((transaction) =>
      transaction
        .updateTable('video_tags')
        .set({ by_folder: 1 })
        .where('tag_number', '=', transaction.selectFrom('tags').select('number').where('id', '=', into))
        .execute(),
    );
    await idSets.write(async (transaction, changes) => {
      const rows = await transaction.selectFrom('videos').select('number').execute();
      await idSets.putUntagged(
        transaction,
        changes,
        rows.map((row) => row.number),
      );
    });
    await merge(from, into);
    const links = await database.reader
      .selectFrom('video_tags')
      .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
      .select('by_folder')
      .where('tags.id', '=', into)
      .orderBy('video_number')
      .execute();
    expect(links.map((link) => link.by_folder)).toEqual([0, 1]);
    await put(into, 7);
    await expectTrue();
  });
});

describe('a blocklist with a merged channel', () => {
  const block = (blocked_tag_ids: string[], known?: string[]) =>
    send('PUT', '/users/blocklist', { blocked_tag_ids, ...(known && { known }) });
  const read = async (path: string) => server.get(path, admin.headers);
  const blockedNow = async () => (await read('/users/profile')).json().user.settings.blocked_tag_ids;
  const profileRevision = async () =>
    Number(String((await read('/users/blocklist')).headers['x-revision']).split('.')[0]);

  test('is read as one with the other channel, which can be unblocked', async () => {
    const [from, into] = [await create('Blocked 1', [0]), await create('Blocked 2', [1])];
    await block([from]);
    const before = await profileRevision();
    await merge(from, into);
    expect(await profileRevision()).toBeGreaterThan(before);
    expect(await blockedNow()).toEqual([into]);
    expect((await read('/users/blocklist')).json()).toEqual({ blocked_tag_ids: [into] });
    expect((await block([into, 'x'], [into])).json()).toEqual({ blocked_tag_ids: [into, 'x'] });
    expect((await block([], [into, 'x'])).json()).toEqual({ blocked_tag_ids: [] });
    expect((await read('/api/video/top-left')).json().matching).toBe(12);
  });

  test('still has that channel once the merge is undone', async () => {
    const [from, into] = [await create('Blocked 3', [0]), await create('Blocked 4', [1])];
    await block([from]);
    const change = await merge(from, into);
    await block([into, 'x'], [into]);
    const before = await profileRevision();
    await undo(change);
    expect(await profileRevision()).toBeGreaterThan(before);
    expect(await blockedNow()).toEqual([from, 'x']);
    await block([]);
  });
});

describe('a merge that is undone', () => {
  test('gives back exactly what it added, and the name', async () => {
    const [from, into] = [await create('D1', [0, 1, 2]), await create('D2', [2, 3])];
    const change = await merge(from, into);
    await put(into, 4);
    await undo(change);
    expect([await on(from), await on(into)]).toEqual([
      [0, 1, 2],
      [2, 3, 4],
    ]);
    expect(await readOne(from)).toMatchObject({ active: true, name: 'D1' });
    expect((await readOne(into)).aliases).toEqual([]);
    await expectNoUndo(change, 'This was undone already.');
    await expectTrue();
  });

  test('leaves what people have put on again', async () => {
    const [from, into] = [await create('E1', [0, 1]), await create('E2')];
    const change = await merge(from, into);
    await put(into, 0);
    await undo(change);
    expect([await on(from), await on(into)]).toEqual([[0, 1], [0]]);
  });

  test('leaves what another tag that was merged has as well', async () => {
    const [one, two, into] = [await create('F1', [0, 1]), await create('F2', [1, 2]), await create('F3')];
    const [first, second] = [await merge(one, into), await merge(two, into)];
    await undo(first);
    expect(await on(into)).toEqual([1, 2]);
    await undo(second);
    expect([await on(one), await on(two), await on(into)]).toEqual([[0, 1], [1, 2], []]);
    await expectTrue();
  });

  test('may have been followed by another', async () => {
    const [one, two, three] = [await create('G1', [0]), await create('G2', [1]), await create('G3', [2])];
    const [first, second] = [await merge(one, two), await merge(two, three)];
    await undo(first);
    expect([await on(one), await on(two)]).toEqual([[0], [0, 1, 2]]);
    expect((await readOne(three)).aliases).toEqual(['G2']);
    await undo(second);
    expect([await on(one), await on(two), await on(three)]).toEqual([[0], [1], [2]]);
    await expectTrue();
  });

  test('needs its name', async () => {
    const [from, into] = [await create('H1'), await create('H2')];
    const change = await merge(from, into);
    await send('PUT', `/api/tags/${into}/aliases`, { aliases: [] });
    const other = await create('H1');
    await expectNoUndo(change, 'There is one called H1 already.');
    await send('PUT', `/api/tags/${other}`, { name: 'H3' });
    await send('PUT', `/api/tags/${into}`, { name: 'h1' });
    await expectNoUndo(change, 'There is one called h1 already.');
    await send('PUT', `/api/tags/${into}`, { name: 'H2' });
    await undo(change);
  });
});

describe('a removal that is undone', () => {
  test('brings the tag back with its links and names', async () => {
    const id = await create('Harbour', [8, 9]);
    await send('PUT', `/api/tags/${id}/aliases`, { aliases: ['Port'] });
    await send('DELETE', `/api/tags/${id}`);
    const [change] = await listChanges();
    expect(change).toMatchObject({
      kind: 'removal',
      state: 'done',
      subject: 'Harbour',
      tags: 1,
      links: 2,
      detail: null,
    });
    expect(Date.parse(change?.expires_at ?? '') - Date.parse(change?.created_at ?? '')).toBe(
      limits.tagChangeDays * dayMs,
    );
    await undo(change?.id ?? '');
    expect(await readOne(id)).toMatchObject({ active: true, aliases: ['Port'], video_count: 2 });
    await expectTrue();
  });

  test('needs its name', async () => {
    await send('DELETE', `/api/tags/${await create('Quay')}`);
    const change = await latest();
    const other = await create('Pier');
    await send('PUT', `/api/tags/${other}/aliases`, { aliases: ['quay'] });
    await expectNoUndo(change, 'quay is another name of Pier.');
  });

  test('is not possible when it went for good, or never was', async () => {
    const id = await create('Dock');
    await send('DELETE', `/api/tags/${id}`);
    const change = await latest();
    await send('DELETE', `/api/tags/${id}/hard-delete`);
    await expectNoUndo(change, 'The channel Dock is gone for good.');
    expect((await send('POST', '/api/admin/tags/changes/none/undo')).statusCode).toBe(404);
  });
});

describe('links that are planned', () => {
  /** @returns id of the change */
  async function importLinks(name: string, links: readonly (readonly [string, number])[]): Promise<string> {
    await server.services.writeTags(async (transaction) => {
      const created = await tagEdits.createWithin(transaction, server.services, {
        name,
        description: '',
        color: '#000000',
      });
      const change = await recordChange(transaction, server.services, {
        kind: 'import',
        subject: 'tags.csv',
        actorId: admin.id,
        tags: [created],
        links: 0,
        state: 'running',
      });
      const planned = [];
      for (const [id, index] of links) {
        const tag = id === '' ? created : await numberOf('tags', id);
        planned.push({ tagNumber: tag, videoNumber: await numberOf('videos', videos[index] ?? '') });
      }
      await tagLinkRepository.plan(transaction, change, planned);
      await jobs.addWithin(transaction, [toChangeJob('tag-change-links', change)]);
    });
    jobs.wake();
    const id = await latest();
    await untilState(id, 'done');
    return id;
  }

  async function numberOf(table: 'tags' | 'videos', id: string): Promise<number> {
    const row = database.reader.selectFrom(table).select('number').where('id', '=', id);
    return (await row.executeTakeFirstOrThrow()).number;
  }

  test('are made, and what was new is taken back with tags that carry nothing else', async () => {
    const known = await create('I1', [0]);
    const gone = await create('I2');
    await send('DELETE', `/api/tags/${gone}`);
    const change = await importLinks('I3', [
      [known, 0],
      [known, 1],
      ['', 2],
      [gone, 3],
    ]);
    expect(await listChanges()).toContainEqual(expect.objectContaining({ id: change, links: 2, tags: 1 }));
    expect(await on(known)).toEqual([0, 1]);
    await undo(change);
    expect(await on(known)).toEqual([0]);
    expect((await server.get('/api/tags?search=I3')).json().tags).toEqual([]);
    await expectTrue();
  });

  test('leave a tag that people use by then', async () => {
    const change = await importLinks('J1', [['', 2]]);
    const [{ id }] = (await server.get('/api/tags?search=J1')).json().tags;
    await put(id, 5);
    await undo(change);
    expect(await on(id)).toEqual([5]);
    await expectTrue();
  });
});

describe('after thirty days', () => {
  test('nothing can be undone, and what was removed goes for good', async () => {
    const [removed, from, into] = [await create('K1', [0]), await create('K2', [1]), await create('K3')];
    const merged = await merge(from, into);
    await send('DELETE', `/api/tags/${removed}`);
    const removal = await latest();
    clock.pass(limits.tagChangeDays * dayMs);
    const again = await putPerson(server, 'later', 'admin');
    admin.headers = again.headers;
    for (const id of [merged, removal]) await expectNoUndo(id, 'This can be undone for 30 days, which are over.');
    expect(await listChanges()).toEqual([]);
    // What is deleted for good goes later: the clock may have been wrong.
    clock.pass(lateMs);
    admin.headers = (await putPerson(server, 'even later', 'admin')).headers;
    await server.services.tagChangeSweep.start();
    await expectTrue();
    expect(await readOne(removed)).toBeUndefined();
    expect(await on(from)).toEqual([1]);
    expect((await readOne(into)).aliases).toEqual(['K2']);
    for (const table of ['tag_changes', 'tag_change_tags', 'tag_change_links'] as const)
      expect(await database.reader.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  test('a change whose job was cancelled has failed, and can be undone', async () => {
    const [from, into] = [await create('L1', [0]), await create('L2')];
    await server.services.runner.stop();
    const { id } = await startMerge(from, into);
    await expectNoUndo(id, 'This is still being done.');
    await jobs.cancelWaiting('tag-merge');
    await server.services.tagChangeSweep
      .kind()
      .run({ job: {} as never, signal: new AbortController().signal, report() {} });
    const [change] = await listChanges();
    expect(change).toMatchObject({ id, state: 'failed' });
    expect((await send('DELETE', `/api/tags/${from}`)).statusCode).toBe(204);
  });
});
