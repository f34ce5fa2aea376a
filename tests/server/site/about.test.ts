import { renameSync } from 'node:fs';
import { expect, inject, test, vi } from 'vitest';
import { aboutSchema } from '#contract/entities/site.ts';
import { callerFor } from '#server/http/pipeline/guards.ts';
import { listen } from '#server/http/pipeline/listen.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
putVideos(folder, 'a.mp4');
const server = await startServer(
  {
    library: [folder],
    env: { FFMPEG_PATH: '/none', PUBLIC_URL: 'https://videos.example.org/' },
    overrides: { identifyCaller: async () => callerFor({ userId: 'u', tier: 'admin' }), confinements: [] },
  },
  afterFile,
);

const read = async () => aboutSchema.parse((await server.get('/api/admin/about')).json());
const readProblems = async () => (await read()).degraded.map(({ problem }) => problem);

test('an administrator reads what runs here, where, and that no backups are made', async () => {
  const { env } = server.services;
  const about = await read();
  expect(about).toMatchObject({
    version: '1.2.3',
    node: process.version,
    database: { kind: inject('database').kind },
    storage: { kind: 'disk', folder: env.dataFolder },
    ffmpeg: null,
    sandbox: null,
    backup: { folder: null, latest: null, failure: null, left_out: [folder] },
  });
  expect(Number(about.storage.total_bytes)).toBeGreaterThan(Number(about.storage.free_bytes));
  expect(about.database.place).toContain(env.databaseUrl === undefined ? env.dataFolder : '/');
  expect(about.database.place).not.toMatch(/options|@/);
});

test('the addresses are those that the terminal prints, with the port that the system chose', async () => {
  expect((await read()).addresses).toEqual([]);
  const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  expect((await read()).addresses).toEqual(['https://videos.example.org', `http://127.0.0.1:${port}`]);
});

test('what is missing is told for as long as it is missing', async () => {
  const away = `The library folder ${folder} cannot be read: its videos are not shown.`;
  expect(await readProblems()).toContain(
    'There is no ffmpeg that works: videos have no posters and no encodings, and only what browsers play as it is plays.',
  );
  expect(await readProblems()).not.toContain(away);
  renameSync(folder, `${folder}-away`);
  await server.services.scanner.request();
  expect(await readProblems()).toContain(away);
  renameSync(`${folder}-away`, folder);
  await server.services.scanner.request();
  expect(await readProblems()).not.toContain(away);
});

test('a database that refuses to be written to is told', async () => {
  const { database } = server.services;
  const isSqlite = database.dialect.kind === 'sqlite';
  for (const [code, problem] of [
    [isSqlite ? 'SQLITE_READONLY' : '25006', 'The database can only be read: nothing is written.'],
    [isSqlite ? 'SQLITE_FULL' : '53100', 'The disk of the database is full: nothing is written.'],
  ] as const) {
    const write = vi.spyOn(database, 'write').mockRejectedValue(Object.assign(new Error(code), { code }));
    expect(await readProblems()).toContain(problem);
    write.mockRestore();
  }
  expect((await readProblems()).join()).not.toMatch(/database/);
});
