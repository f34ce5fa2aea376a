import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { usualClass } from '#contract/rules/media-needs.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { addTag, addVideos, differences, readTruth, tagVideos } from '../id-sets/id-sets-library.ts';

const patient = { interval: 10 };

/** A tag on all of some videos, one on none, and its keeper. */
async function makeLibrary(server: ServerUnderTest, videos: number) {
  const { idSets, database } = server.services;
  const [from, into] = await idSets.write(async (transaction) => [
    await addTag(transaction),
    await addTag(transaction),
  ]);
  for (let done = 0; done < videos; done += 1_000) {
    await idSets.write(async (transaction, changes) => {
      const numbers = await addVideos(transaction, changes, Math.min(1_000, videos - done));
      await tagVideos(transaction, changes, idSets, from, numbers);
    });
  }
  const untouched = await idSets.write((transaction, changes) => addVideos(transaction, changes, 20));
  const rows = await database.reader.selectFrom('tags').select(['number', 'id']).execute();
  const idOf = (number: number) => rows.find((row) => row.number === number)?.id ?? '';
  const { headers } = await putPerson(server, 'keeper', 'admin');
  return { from, into, fromId: idOf(from), intoId: idOf(into), untouched, headers };
}

async function stateOf({ services }: ServerUnderTest): Promise<string | undefined> {
  const row = await services.database.reader.selectFrom('tag_changes').select('state').executeTakeFirst();
  return row?.state;
}

/** Until nothing is left to do: not by calls, which are counted. @returns how many picks there were */
async function pickMeanwhile(
  { services }: ServerUnderTest,
  blockedTagIds: readonly string[],
  matching: number,
): Promise<number> {
  const { giveVideo, database } = services;
  const isBusy = async () =>
    (await database.reader.selectFrom('jobs').select('id').where('active_key', 'is not', null).execute()).length > 0;
  const request = { tagIds: [], blockedTagIds, mode: 'OR' as const, exclude: [], userId: null };
  const audience = {
    viewer: 'viewer',
    device: usualClass,
    isDeviceKnown: true,
    rank: 0,
    lines: limits.gridRenditionLines,
  };
  let picks = 0;
  for (; await isBusy(); picks += 1) {
    expect(await giveVideo(request, audience)).toMatchObject({ available: true, matching });
    await turn();
  }
  return picks;
}

async function expectTrue({ services }: ServerUnderTest): Promise<void> {
  expect(differences(services.idSets, await readTruth(services.database))).toEqual([]);
}

describe('picks go on, and are right all the while,', async () => {
  const server = await startServer({}, afterFile);
  const { idSets } = server.services;
  const { from, into, fromId, intoId, untouched, headers } = await makeLibrary(server, 5_000);

  test('while a tag with 5,000 links is merged', async () => {
    await server.call('POST', `/api/tags/${fromId}/merge`, { headers, payload: { into: intoId } });
    expect(await pickMeanwhile(server, [fromId], untouched.length)).toBeGreaterThan(1);
    expect([idSets.countOnTag(from), idSets.countOnTag(into), await stateOf(server)]).toEqual([5_000, 5_000, 'done']);
    await expectTrue(server);
  });

  test('while that is undone', async () => {
    const [change] = (await server.get('/api/admin/tags/changes', headers)).json().changes;
    expect(change.links).toBe(5_000);
    await server.call('POST', `/api/admin/tags/changes/${change.id}/undo`, { headers });
    expect(await pickMeanwhile(server, [fromId], untouched.length)).toBeGreaterThan(1);
    expect([idSets.countOnTag(from), idSets.countOnTag(into), await stateOf(server)]).toEqual([5_000, 0, 'undone']);
    await expectTrue(server);
  });

  test('while it is deleted', async () => {
    await server.call('DELETE', `/api/tags/${fromId}`, { headers });
    expect(await pickMeanwhile(server, [], 5_000 + untouched.length)).toBeGreaterThan(1);
    await expectTrue(server);
  });
});

/** A site that several processes open, one after the other. */
async function openSite() {
  const variables = {
    HOST: '127.0.0.1',
    PORT: '0',
    LIBRARY_DIRS: temporaryFolder(),
    ...(await migratedSite()),
  };
  return {
    variables,
    async open(): Promise<{ server: ServerUnderTest; close(): Promise<void> }> {
      const ends: (() => Promise<void> | void)[] = [];
      const server = await startServer(
        { env: variables, overrides: { jobTimes: { poll: 10, heartbeat: 20 } } },
        (end) => ends.push(end),
      );
      const close = async () => {
        for (const end of ends.splice(0)) await end();
      };
      onTestFinished(close);
      return { server, close };
    },
  };
}

test.each([16, 45])(
  'a merge whose process is killed before statement %i is completed by the next',
  async (statement) => {
    const site = await openSite();
    const { server, close } = await site.open();
    const { fromId, intoId, from, into, headers } = await makeLibrary(server, 1_500);
    await server.services.runner.stop();
    await server.call('POST', `/api/tags/${fromId}/merge`, { headers, payload: { into: intoId } });
    await close();
    const file = fileURLToPath(new URL('merge-writer.ts', import.meta.url));
    const writer = spawn(process.execPath, [file, JSON.stringify(site.variables), String(statement)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    expect(await once(writer, 'exit')).toEqual([null, 'SIGKILL']);
    const { server: next } = await site.open();
    await vi.waitFor(async () => expect(await stateOf(next)).toBe('done'), patient);
    const { idSets, database } = next.services;
    expect([idSets.countOnTag(from), idSets.countOnTag(into)]).toEqual([1_500, 1_500]);
    const recorded = await database.reader.selectFrom('tag_change_links').selectAll().execute();
    expect(recorded.length).toBe(1_500);
    await expectTrue(next);
  },
);
