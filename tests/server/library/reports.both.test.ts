import { beforeEach, describe, expect, test } from 'vitest';
import { reportListSchema } from '#contract/entities/library.ts';
import { limits } from '#contract/limits.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { personOf, putPerson, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const dayMs = 86_400_000;
const clock = settableClock();
const server = await startServer({ env: await migratedSite(afterFile), overrides: { clock } }, afterFile);
const { database, idSets } = server.services;
await putPerson(server, 'ada', 'admin');
await putPerson(server, 'bob');

/** Whoever has reported may do it anew, and nothing is reported. */
beforeEach(async () => {
  clock.pass(dayMs + 1);
  await database.write(async (transaction) => {
    await transaction.deleteFrom('reports').execute();
    await transaction.deleteFrom('activities').execute();
    await transaction.deleteFrom('videos').execute();
  });
  await idSets.write((transaction, changes) => storeVideos(transaction, changes, 3));
});

const videoId = (index: number) => `id-stored-fine-${index}.mp4`;
const headersOf = async (name: string) => personOf(await signIn(server, name)).headers;

interface Sender {
  headers?: Record<string, string>;
  from?: string;
}

const report = async (id: string, payload: object, { headers, from = '192.0.2.7' }: Sender = {}) =>
  server.call('POST', `/api/videos/${id}/reports`, { payload, headers, remoteAddress: from });
const list = async (query = '') =>
  reportListSchema.parse((await server.get(`/api/admin/reports${query}`, { ...(await headersOf('ada')) })).json());
const asAda = async (method: 'PUT' | 'DELETE', path: string) =>
  (await server.call(method, path, { headers: await headersOf('ada') })).statusCode;
const dismiss = (id: string) => asAda('DELETE', `/api/admin/videos/${id}/reports`);
const kinds = async () =>
  (await database.reader.selectFrom('activities').select(['kind', 'subject']).execute()).filter(
    ({ kind }) => kind === 'reports_dismissed' || kind === 'video_hidden',
  );

describe('a viewer reports a video', () => {
  test('without an account as well, and administrators read who, why and when, the last reported first', async () => {
    expect((await report(videoId(0), { reason: 'unplayable' })).statusCode).toBe(204);
    clock.pass(1_000);
    const headers = await headersOf('bob');
    expect((await report(videoId(1), { reason: 'other', text: ' It is mine. ' }, { headers })).statusCode).toBe(204);
    const { videos, total } = await list();
    expect([total, videos.map(({ id, count }) => [id, count])]).toEqual([
      2,
      [
        [videoId(1), 1],
        [videoId(0), 1],
      ],
    ]);
    expect(videos[0]?.reports).toEqual([
      { reason: 'other', text: 'It is mine.', at: new Date(clock.now()).toISOString(), by: 'bob' },
    ]);
    expect(videos[1]?.reports).toMatchObject([{ reason: 'unplayable', text: '', by: null }]);
    expect((await list('?limit=1&page=2')).videos.map(({ id }) => id)).toEqual([videoId(0)]);
  });

  test('once: the next report of the same person or address takes its place, others are added', async () => {
    const headers = await headersOf('bob');
    await report(videoId(0), { reason: 'unplayable' }, { headers });
    await report(videoId(0), { reason: 'rights', text: 'corrected' }, { headers, from: '198.51.100.9' });
    await report(videoId(0), { reason: 'channel' });
    await report(videoId(0), { reason: 'unsuitable' });
    await report(videoId(0), { reason: 'other' }, { from: '192.0.2.8' });
    const [video] = (await list()).videos;
    expect([video?.count, video?.reports.map(({ reason }) => reason).sort()]).toEqual([
      3,
      ['other', 'rights', 'unsuitable'],
    ]);
    const stored = await database.reader.selectFrom('reports').select('holder').execute();
    expect(stored.some(({ holder }) => holder.includes('192.0.2'))).toBe(false);
  });

  test.each([
    ['no reason', {}],
    ['an unknown reason', { reason: 'boring' }],
    ['more than 200 characters', { reason: 'other', text: 'x'.repeat(limits.reportCharacters + 1) }],
    ['characters that are not seen', { reason: 'other', text: 'a\u202Eb' }],
  ])('and is refused with %s', async (_, body) => {
    expect((await report(videoId(0), body)).statusCode).toBe(400);
    expect((await list()).total).toBe(0);
  });

  test('that is unknown or hidden: 404, and nothing is stored', async () => {
    await asAda('PUT', `/api/admin/videos/${videoId(0)}/hidden`);
    for (const id of [videoId(0), 'none']) expect((await report(id, { reason: 'other' })).statusCode).toBe(404);
    expect(await database.reader.selectFrom('reports').selectAll().execute()).toEqual([]);
  });

  test('twenty times a day, whatever address an account comes from, and a network a hundred times', async () => {
    const headers = await headersOf('bob');
    const statuses = new Set<number>();
    for (let time = 0; time < limits.dailyReports; time += 1)
      statuses.add((await report(videoId(0), { reason: 'other' }, { headers, from: `203.0.113.${time}` })).statusCode);
    const refused = await report(videoId(0), { reason: 'other' }, { headers, from: '198.51.100.1' });
    expect([...statuses, refused.statusCode]).toEqual([204, 429]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    for (let time = limits.dailyReports; time < limits.dailyNetworkReports; time += 1)
      statuses.add((await report(videoId(1), { reason: 'other' }, { from: `203.0.113.${100 + time}` })).statusCode);
    expect([...statuses]).toEqual([204]);
    expect((await report(videoId(1), { reason: 'other' }, { from: '203.0.113.99' })).statusCode).toBe(429);
  });

  test('whose further reports are taken and not stored once it has many', async () => {
    const [{ number = 0 } = {}] = await database.reader
      .selectFrom('videos')
      .select('number')
      .orderBy('number')
      .execute();
    const facts = { video_number: number, user_id: null, reason: 'other', text: '', created_at: 1 } as const;
    const rows = Array.from({ length: limits.videoReports }, (_, index) => ({ ...facts, holder: `holder-${index}` }));
    await database.write((transaction) => transaction.insertInto('reports').values(rows).execute());
    expect((await report(videoId(0), { reason: 'rights' })).statusCode).toBe(204);
    const [video] = (await list()).videos;
    expect([video?.count, video?.reports.length]).toEqual([limits.videoReports, limits.reportsShown]);
    expect(video?.reports.some(({ reason }) => reason === 'rights')).toBe(false);
  });
});

describe('an administrator', () => {
  test('dismisses the reports of a video, which further reports of the same people do not bring back', async () => {
    await report(videoId(0), { reason: 'other' });
    expect(await dismiss(videoId(0))).toBe(204);
    expect(await dismiss(videoId(0))).toBe(204);
    await report(videoId(0), { reason: 'rights' });
    expect((await list()).total).toBe(0);
    await report(videoId(0), { reason: 'rights' }, { from: '192.0.2.8' });
    expect((await list()).videos).toMatchObject([{ id: videoId(0), count: 1, reports: [{ reason: 'rights' }] }]);
    expect(await kinds()).toEqual([{ kind: 'reports_dismissed', subject: 'stored-fine-0.mp4' }]);
    expect(await dismiss('none')).toBe(404);
  });

  test('hides the video, which closes its reports for good', async () => {
    await report(videoId(0), { reason: 'unsuitable' });
    expect(await asAda('PUT', `/api/admin/videos/${videoId(0)}/hidden`)).toBe(204);
    expect((await list()).total).toBe(0);
    await asAda('DELETE', `/api/admin/videos/${videoId(0)}/hidden`);
    expect((await list()).total).toBe(0);
    expect(await kinds()).toEqual([{ kind: 'video_hidden', subject: 'stored-fine-0.mp4' }]);
  });

  test('sees no reports of videos whose files are gone, and none of an account by its name once that is gone', async () => {
    await putPerson(server, 'eve');
    await report(videoId(0), { reason: 'other' });
    await report(videoId(1), { reason: 'other' }, { headers: await headersOf('eve') });
    await database.write(async (transaction) => {
      await transaction.updateTable('videos').set({ missing_since: 1 }).where('id', '=', videoId(0)).execute();
      await transaction.deleteFrom('users').where('username', '=', 'eve').execute();
    });
    expect((await list()).videos).toMatchObject([{ id: videoId(1), reports: [{ by: null }] }]);
  });

  test('alone reads the list and dismisses', async () => {
    const headers = await headersOf('bob');
    const path = `/api/admin/videos/${videoId(0)}/reports`;
    expect((await server.get('/api/admin/reports', { ...headers })).statusCode).toBe(403);
    expect((await server.get('/api/admin/reports')).statusCode).toBe(401);
    expect((await server.call('DELETE', path, { headers })).statusCode).toBe(403);
  });
});

test('a report is deleted after ninety days, by the time of the sweeps', async () => {
  const { accounts } = server.services;
  const sweep = async () => {
    accounts.startSweeping();
    await accounts.stopSweeping();
  };
  // The time of the sweeps catches up with the clock.
  await sweep();
  await report(videoId(0), { reason: 'other' });
  clock.pass(limits.reportDays * dayMs);
  await sweep();
  expect((await list()).total).toBe(1);
  clock.pass(60_000);
  await sweep();
  expect((await list()).total).toBe(0);
});
