import { expect, test, vi } from 'vitest';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import { tagChangeListSchema, tagChangeReplySchema } from '#contract/entities/tag.ts';
import { recordChange } from '#server/features/tags/changes/change-jobs.ts';
import { personUndoKind } from '#server/features/tags/changes/undo-person.ts';
import type { StoredJob } from '#server/jobs/job.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock, jobTimes: { poll: 10 } } }, afterFile);
const { idSets, database, ids } = server.services;
const keeper = await putPerson(server, 'keeper', 'admin');
const vera = await putPerson(server, 'vera', 'admin');
const otto = await putPerson(server, 'otto', 'admin');
const patient = { interval: 5 };
const hourMs = 3_600_000;
await idSets.write((transaction, changes) => storeVideos(transaction, changes, 4));

const send = (who: Person, method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
  server.call(method, url, { headers: who.headers, ...(payload === undefined ? {} : { payload }) });

async function create(who: Person, name: string, on: readonly number[] = []): Promise<string> {
  const { id } = (await send(who, 'POST', '/api/tags', { name })).json().tag;
  for (const index of on) await send(who, 'POST', `/api/videos/stored-fine-${index}.mp4/tags`, { tag_ids: [id] });
  return id;
}

async function listChanges(): Promise<TagChangeRecord[]> {
  const reply = await server.get('/api/admin/tags/changes?limit=100', keeper.headers);
  return tagChangeListSchema.parse(reply.json()).changes;
}

const untilState = (id: string, state: TagChangeRecord['state']) =>
  vi.waitFor(async () => {
    const change = (await listChanges()).find((listed) => listed.id === id);
    expect(change?.state).toBe(state);
    return change as TagChangeRecord;
  }, patient);

async function merge(who: Person, from: string, into: string): Promise<void> {
  const reply = await send(who, 'POST', `/api/tags/${from}/merge`, { into });
  await untilState(tagChangeReplySchema.parse(reply.json()).change.id, 'done');
}

const undo = (username: string, hours: number) =>
  send(keeper, 'POST', '/api/admin/tags/changes/undo', { username, hours });

async function undone(username: string, hours: number): Promise<TagChangeRecord> {
  const reply = await undo(username, hours);
  expect([reply.statusCode, reply.json().message]).toEqual([202, undefined]);
  return untilState(reply.json().change.id, 'done');
}

async function names(): Promise<string[]> {
  const rows = await database.reader.selectFrom('tags').select('name').where('active', '=', 1).execute();
  return rows.map((row) => row.name).sort();
}

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

/** All that was done so far was done two hours earlier; sessions stay as they are. */
async function age(): Promise<void> {
  await database.write(async (transaction) => {
    for (const table of ['tags', 'tag_changes'] as const)
      await transaction
        .updateTable(table)
        .set((row) => ({ created_at: row('created_at', '-', 2 * hourMs) }))
        .execute();
  });
}

/** Channels without videos, as somebody makes them who fills a site. */
async function fill(username: string, count: number): Promise<void> {
  await database.write(async (transaction) => {
    for (let from = 0; from < count; from += 1_000) {
      const rows = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => ({
        id: `${username}-${from + index}`,
        name: `${username} ${from + index}`,
        name_key: `${username} ${from + index}`,
        description: '',
        color: '#3B82F6',
        active: 1 as const,
        created_at: clock.now(),
        created_by: username,
      }));
      await transaction.insertInto('tags').values(rows).execute();
    }
  });
}

test('what one person did since an hour ago is undone, newest first, and what others did stays', async () => {
  const old = await create(vera, 'Old', [0]);
  const rivers = await create(otto, 'Rivers', [1]);
  const lakes = await create(otto, 'Lakes', [2]);
  const gone = await create(otto, 'Gone');
  await send(otto, 'DELETE', `/api/tags/${gone}`);
  await age();
  const spam = await create(vera, 'Spam', [0, 3]);
  await create(otto, 'Later');
  await send(vera, 'DELETE', `/api/tags/${await create(vera, 'Own')}`);
  await merge(vera, rivers, spam);
  await merge(vera, lakes, spam);
  await send(vera, 'DELETE', `/api/tags/${old}`);

  expect(await undone('Vera', 1)).toMatchObject({ kind: 'person', subject: 'vera', tags: 1, links: 3, error: null });
  expect(await names()).toEqual(['Lakes', 'Later', 'Old', 'Rivers']);
  await expectTrue();
  const [removal] = await listChanges();
  expect(removal).toMatchObject({ kind: 'removal', subject: 'Spam', made_by: 'keeper', links: 2 });
  await send(keeper, 'POST', `/api/admin/tags/changes/${removal?.id}/undo`);
  await untilState(removal?.id ?? '', 'undone');
  expect(await names()).toContain('Spam');
  await expectTrue();
  const activities = (await server.get('/api/admin/activity?limit=1', keeper.headers)).json().activities;
  expect(activities[0]).toMatchObject({ kind: 'tag_change_undone' });
});

test('what others have changed since is counted and left as it is', async () => {
  await age();
  const edited = await create(vera, 'Edited');
  const joined = await create(vera, 'Joined');
  await create(vera, 'Plain');
  const taken = await create(otto, 'Taken');
  await send(vera, 'DELETE', `/api/tags/${taken}`);
  await create(otto, 'Taken');
  await send(otto, 'PUT', `/api/tags/${edited}`, { description: 'Mine by now' });
  await merge(otto, await create(otto, 'Part'), joined);

  const change = await undone('vera', 1);
  expect(change).toMatchObject({ tags: 1, links: 0 });
  expect(change.error).toMatch(/^3 changes could not be undone, since others/);
  expect(await names()).toEqual(expect.arrayContaining(['Edited', 'Joined', 'Taken']));
  expect(await names()).not.toContain('Plain');
  const again = await undone('vera', 1);
  expect([again.tags, again.links, again.error]).toEqual([0, 0, change.error]);
  const whole = await send(keeper, 'POST', `/api/admin/tags/changes/${again.id}/undo`);
  expect(whole.statusCode).toBe(409);
  await expectTrue();
});

test('a name that nobody has is 404, and other spans than those on offer are refused', async () => {
  expect((await undo('nobody-here', 1)).statusCode).toBe(404);
  expect((await undo('vera', 2)).statusCode).toBe(400);
  expect((await undo('v'.repeat(200), 1)).statusCode).toBe(400);
});

test('a person who deleted the account is found by the name that they had', async () => {
  await fill('ghost', 3);
  expect(await undone('ghost', 24)).toMatchObject({ tags: 3, error: null });
});

test('thousands of channels go in many transactions, and a job that was ended half-way goes on', async () => {
  await fill('flood', 4_000);
  const since = clock.now() - hourMs;
  const { writeTags } = server.services;
  const number = await writeTags((transaction) =>
    recordChange(
      transaction,
      { clock, ids },
      { kind: 'person', subject: 'flood', actorId: keeper.id, tags: [], links: 0, state: 'running' },
    ),
  );
  const kind = personUndoKind(server.services);
  const job = { subject: String(number), payload: { since }, attempts: 1, attemptsMax: 3 } as StoredJob;
  const killed = new AbortController();
  let slices = 0;
  const report = () => {
    slices += 1;
    if (slices === 3) killed.abort();
  };
  await expect(kind.run({ job, signal: killed.signal, report })).rejects.toThrow();
  const read = () =>
    database.reader.selectFrom('tag_changes').selectAll().where('number', '=', number).executeTakeFirstOrThrow();
  expect(await read()).toMatchObject({ state: 'running', tags: 120 });

  await kind.run({ job, signal: new AbortController().signal, report });
  expect(await read()).toMatchObject({ state: 'done', tags: 4_000, error: null });
  expect(slices).toBeGreaterThan(100);
  expect((await names()).filter((name) => name.startsWith('flood'))).toEqual([]);
});
