import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { startPooler } from '#tests/support/database/pooler.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson, signIn } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

/** Two nodes whose transactions share three connections, which forget all of a session after each of them. */
let nodes: [ServerUnderTest, ServerUnderTest];
let chief: Person;

beforeAll(async () => {
  const { DATABASE_URL = '' } = await migratedSite(afterFile);
  const options = {
    env: {
      DATABASE_URL: await startPooler(DATABASE_URL, 3, afterFile),
      DATA_DIR: temporaryFolder(afterFile),
      LIBRARY_DIRS: temporaryFolder(afterFile),
    },
    overrides: { jobTimes: { poll: 50 } },
  };
  nodes = [await startServer(options, afterFile), await startServer(options, afterFile)];
  chief = await putPerson(nodes[0], 'chief', 'admin');
});

const callOn = (node: number, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
  (nodes[node] ?? nodes[0]).call(method, url, { headers: chief.headers, payload });

test('through a pooler of transactions uploads become videos, and people tag them on two nodes at once', async () => {
  const ada = await putUploader(nodes[0], 'ada', 'admin');
  const films = ['hue-000', 'hue-120', 'brief-060'].map((name) => videoBytes(name));
  const paths = await Promise.all(
    films.map(async (bytes, index) => {
      const upload = await SentUpload.start(nodes[index % 2] ?? nodes[0], ada, [{ file_size: bytes.length }]);
      expect((await upload.put(bytes)).statusCode).toBe(201);
      return (await upload.complete(ada)).json().videos[0].path as string;
    }),
  );
  const tags = await Promise.all(
    ['a', 'b', 'c', 'd'].map(
      async (name, index) => (await callOn(index % 2, 'POST', '/api/tags', { name })).json().tag.id,
    ),
  );
  const replies = await Promise.all(
    paths.flatMap((path) =>
      tags.map((tag, index) =>
        callOn(index % 2, 'POST', `/api/videos/${encodeURIComponent(path)}/tags`, { tag_ids: [tag] }),
      ),
    ),
  );
  expect(replies.map(({ statusCode }) => statusCode)).toEqual(replies.map(() => 200));
  for (const path of paths)
    expect((await callOn(1, 'GET', `/api/videos/${encodeURIComponent(path)}/tags`)).json().tags).toHaveLength(4);
});

test('jobs and locks hold through it: a merge of channels ends, and sign-ins go on', async () => {
  const [from, into] = await Promise.all(
    ['old', 'new'].map(async (name) => (await callOn(0, 'POST', '/api/tags', { name })).json().tag.id),
  );
  expect((await callOn(1, 'POST', `/api/tags/${from}/merge`, { into })).statusCode).toBeLessThan(300);
  const isMerged = async () => {
    const { tags } = (await callOn(0, 'GET', '/api/tags')).json();
    expect(tags.some(({ id }: { id: string }) => id === from)).toBe(false);
  };
  await vi.waitFor(isMerged, { interval: 50 });
  expect((await signIn(nodes[1], 'chief')).statusCode).toBe(200);
});

test('without a pooler no statement takes longer than fifteen seconds', async () => {
  const server = await startServer();
  const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(
    server.services.database.reader,
  );
  expect(rows).toEqual([{ statement_timeout: '15s' }]);
});

test('a server opens as many connections as it may, and its library thread some of them', async () => {
  const server = await startServer({ env: { DATABASE_POOL: '5' } });
  const { database } = server.services;
  const end = Promise.withResolvers<void>();
  const held = Array.from({ length: 12 }, () => database.write(() => end.promise));
  // Those that wait are given up after a while.
  const ended = Promise.allSettled(held);
  await vi.waitFor(() => expect(database.load().used).toBe(4));
  expect(database.load().waiting).toBeGreaterThan(0);
  end.resolve();
  await ended;
});
