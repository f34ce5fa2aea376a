import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as endpoints from '#contract/endpoints.ts';
import { configUpdatedSchema } from '#contract/entities/feed.ts';
import { cacheClearedSchema, debugSchema, doneSchema } from '#contract/entities/site.ts';
import { userListSchema } from '#contract/entities/user.ts';
import { callerFor } from '#server/http/pipeline/guards.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { putAccount, putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const adminCalls = [endpoints.readDebug, endpoints.rescanLibrary, endpoints.clearCache, endpoints.updateConfig];

function startFor(isAdmin: boolean, library?: string[]): Promise<ServerUnderTest> {
  return startServer({
    ...(library === undefined ? {} : { library }),
    overrides: { identifyCaller: async () => callerFor({ userId: 'u', tier: isAdmin ? 'admin' : 'basic' }) },
  });
}

function update(server: ServerUnderTest, seconds: unknown) {
  return server.call('POST', '/api/config/update', {
    payload: { video_settings: { switch_interval_seconds: seconds } },
  });
}

test('calls for admins answer 401 to everybody who is not signed in, before they look at what was sent', async () => {
  const server = await startServer();
  for (const { method, path } of adminCalls) {
    const reply = await server.call(method, path, { headers: { authorization: 'Bearer forged' } });
    expect([path, reply.statusCode, reply.json().error]).toEqual([path, 401, 'unauthorized']);
  }
});

test('calls for admins answer 403 to others who are signed in', async () => {
  const server = await startFor(false);
  for (const { method, path } of adminCalls) expect((await server.call(method, path)).statusCode).toBe(403);
});

test('an admin finds people by a display name in any script, whatever its capitals', async () => {
  const server = await startServer();
  const { headers } = await putPerson(server, 'keeper', 'admin');
  for (const [name, displayName] of [
    ['emile', 'Émile Ångström'],
    ['ivan', 'Иван Петров'],
  ] as const)
    await putAccount(server, name, 'basic', { displayName });
  const find = async (search: string) =>
    userListSchema
      .parse((await server.get(`/users/admin?search=${encodeURIComponent(search)}`, headers)).json())
      .users.map(({ username }) => username);
  expect(await find('émile ÅNG')).toEqual(['emile']);
  expect(await find('Иван')).toEqual(['ivan']);
  expect(await find('петров')).toEqual(['ivan']);
});

describe('an admin', () => {
  test('changes the switch interval, and every client is told to read the configuration again', async () => {
    const server = await startFor(true);
    const before = await server.get('/api/config');
    const reply = await update(server, 300);
    expect(configUpdatedSchema.parse(reply.json()).video_settings.switch_interval_seconds).toBe(300);
    const after = await server.get('/api/config');
    expect(after.json().video_settings.switch_interval_seconds).toBe(300);
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(revisionsOf(after).config).toBe(revisionsOf(before).config + 1);
    expect(revisionsOf(after).tags).toBe(revisionsOf(before).tags);
  });

  test.each([4, 86_401, 1.5, '120', null])('cannot set an interval of %j', async (seconds) => {
    const server = await startFor(true);
    const reply = await update(server, seconds);
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({
      error: 'validation_failed',
      details: [{ field: 'video_settings.switch_interval_seconds' }],
    });
  });

  test('starts a scan that finds what is new', async () => {
    const folder = temporaryFolder();
    const server = await startFor(true, [folder]);
    putVideos(folder, 'new.mp4');
    const reply = await server.call('POST', '/api/refresh');
    expect(reply.statusCode).toBe(202);
    expect(doneSchema.parse(reply.json()).success).toBe(true);
    await server.services.scanner.request();
    expect((await server.get('/api/status')).json().AvailableVideos).toBe(1);
  });

  test('empties the cache and learns how much that freed', async () => {
    const server = await startFor(true);
    const { cache } = server.services.folders;
    mkdirSync(join(cache, 'posters'), { recursive: true });
    writeFileSync(join(cache, 'posters', 'a.webp'), 'twelve bytes');
    expect(cacheClearedSchema.parse((await server.call('POST', '/api/clear-cache')).json()).freed_bytes).toBe(12);
    expect(cacheClearedSchema.parse((await server.call('POST', '/api/clear-cache')).json()).freed_bytes).toBe(0);
  });

  test('reads what the server says of itself', async () => {
    const server = await startFor(true);
    const debug = debugSchema.parse((await server.get('/api/debug')).json());
    expect(debug).toMatchObject({ version: '1.2.3', storage: 'disk', database: server.services.database.dialect.kind });
  });
});

function revisionsOf(reply: { headers: Record<string, unknown> }) {
  const [profile = 0, tags = 0, config = 0] = String(reply.headers['x-revision']).split('.').map(Number);
  return { profile, tags, config };
}
