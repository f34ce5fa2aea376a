import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { VideoUrl } from '#contract/entities/feed.ts';
import { qualityAnswerSchema, videoUrlSchema } from '#contract/entities/feed.ts';
import { toNeedBits, writeDeviceClass } from '#contract/rules/media-needs.ts';
import type { Rendition } from '#contract/rules/rendition.ts';
import { storeEncoding } from '#tests/support/media/stored-encodings.ts';
import { largeVideo } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
const names = ['film.mp4', 'bare.mp4', 'matroska.mp4', 'hidden.mp4'];
for (const name of names) copyFileSync(largeVideo(), join(folder, name));
const original = readFileSync(largeVideo());
const bytes = { grid: Buffer.from('bytes of grid'), hd: Buffer.from('bytes of hd') };
const server = await startServer({ library: [folder] }, afterFile);
await server.services.database.write(async (transaction) => {
  const tall = { width: 1920, height: 1080, duration_ms: 1_000 };
  await transaction.updateTable('videos').set(tall).execute();
  const needs = toNeedBits(['matroska']);
  await transaction.updateTable('videos').set({ needs }).where('path', '=', 'matroska.mp4').execute();
});
for (const path of ['film.mp4', 'matroska.mp4']) await storeEncoding(server, path, 'grid', bytes.grid);
await storeEncoding(server, 'film.mp4', 'hd', bytes.hd);

const roles = {
  nobody: {},
  basic: (await putPerson(server, 'bob')).headers,
  pro: (await putPerson(server, 'ada', 'pro')).headers,
  admin: (await putPerson(server, 'root', 'admin')).headers,
};
type Role = keyof typeof roles;

const post = (call: string, payload: object | string, headers: Record<string, string> = {}) =>
  server.call('POST', `/api/optimization/${call}`, { payload, headers });

async function resolve(path: string, quality: Rendition | undefined, role: Role, cookie = '') {
  const reply = await post('video-url', { path, quadrant: 'top-left', quality }, { ...roles[role], cookie });
  const answer: VideoUrl = videoUrlSchema.parse(reply.json());
  const viewer = reply.cookies.find(({ name }) => name === 'viewer')?.value ?? '';
  // As an element asks: with the cookie of its browser, and without a token.
  return { ...answer, sent: (await server.get(answer.url, { cookie: `viewer=${viewer}` })).rawPayload };
}

describe('an address', () => {
  test.each([
    ['film.mp4', undefined, 'nobody', 'grid', bytes.grid],
    ['film.mp4', 'grid', 'pro', 'grid', bytes.grid],
    ['film.mp4', 'hd', 'pro', 'hd', bytes.hd],
    ['film.mp4', 'source', 'admin', 'source', original],
    ['bare.mp4', undefined, 'nobody', 'source', original],
    ['bare.mp4', 'source', 'basic', 'source', original],
    // What does not exist: the nearest below it, and a source where nothing is below.
    ['matroska.mp4', 'hd', 'pro', 'grid', bytes.grid],
    ['matroska.mp4', 'hd', 'basic', 'grid', bytes.grid],
    ['bare.mp4', 'grid', 'nobody', 'source', original],
    ['bare.mp4', 'hd', 'nobody', 'source', original],
    // A device that does not play MKV.
    ['matroska.mp4', 'source', 'pro', 'grid', bytes.grid],
  ] as const)('of %s in %s for %s is of its %s, and plays', async (path, quality, role, rendition, expected) => {
    const answer = await resolve(path, quality, role);
    expect(answer.rendition).toBe(rendition);
    expect(answer.sent.equals(expected)).toBe(true);
    expect([answer.width, answer.height]).toEqual(rendition === 'grid' ? [960, 540] : [1920, 1080]);
    expect(answer.bitrate_bps).toBe(Math.round((expected.length * 8) / 1_000) * 1_000);
  });

  test('of a container is given to a device that plays it', async () => {
    const plays = `plays=${writeDeviceClass(toNeedBits(['matroska']))}`;
    expect((await resolve('matroska.mp4', 'source', 'pro', plays)).rendition).toBe('source');
  });

  test.each(['nobody', 'basic'] as const)('of an encoding above the plan is refused to %s', async (role) => {
    for (const quality of ['hd', 'source']) {
      const reply = await post('video-url', { path: 'film.mp4', quadrant: 'top-left', quality }, roles[role]);
      expect([reply.statusCode, reply.json().error]).toEqual([403, 'forbidden']);
    }
  });

  test.each(['none.mp4', 'FILM.MP4', 'film.mp4.', 'data:,film.mp4', '..%2fetc%2fpasswd'])(
    'of %s, which names no video, is 404 for everybody',
    async (path) => {
      for (const role of Object.keys(roles) as Role[]) {
        const reply = await post('video-url', { path, quadrant: 'top-left' }, roles[role]);
        expect([reply.statusCode, reply.json().message]).toEqual([404, 'This video does not exist.']);
      }
    },
  );

  test('of what is outside the library is refused, and nothing is fetched', async () => {
    let fetched = 0;
    const trap = createServer((_request, response) => {
      fetched += 1;
      response.end();
    });
    await once(trap.listen(0, '127.0.0.1'), 'listening');
    const { port } = trap.address() as AddressInfo;
    const outside = [
      ...[`http://127.0.0.1:${port}/film.mp4`, `//127.0.0.1:${port}/film.mp4`, 'file:///etc/passwd'],
      ...['/etc/passwd', '../../etc/passwd', 'films/../film.mp4', './film.mp4', 'films//film.mp4', '..'],
    ];
    for (const path of outside) {
      const reply = await post('video-url', { path, quadrant: 'top-left' }, roles.admin);
      expect([path, reply.statusCode, reply.json().error]).toEqual([path, 400, 'validation_failed']);
    }
    await once(trap.close(), 'close');
    expect(fetched).toBe(0);
  });

  test('of a hidden video is 404, also for who has hidden it', async () => {
    const { id } = await server.services.database.reader
      .selectFrom('videos')
      .select('id')
      .where('path', '=', 'hidden.mp4')
      .executeTakeFirstOrThrow();
    await server.call('PUT', `/api/admin/videos/${id}/hidden`, { headers: roles.admin });
    for (const headers of Object.values(roles))
      expect((await post('video-url', { path: 'hidden.mp4', quadrant: 'top-left' }, headers)).statusCode).toBe(404);
  });
});

describe('a quality', () => {
  test('follows the plan of who asks', async () => {
    const question = { quadrant: 'top-left', width: 1920, height: 1080 };
    const choose = async (role: Role) =>
      qualityAnswerSchema.parse((await post('quality', question, roles[role])).json()).quality;
    expect([await choose('nobody'), await choose('basic'), await choose('pro')]).toEqual(['grid', 'grid', 'hd']);
  });

  test('follows what the device plays', async () => {
    const question = { quadrant: 'top-left', width: 3840, height: 2160 };
    const cookie = `plays=${writeDeviceClass(toNeedBits(['over-1080-lines']))}`;
    expect((await post('quality', question, { ...roles.pro, cookie })).json().quality).toBe('source');
    expect((await post('quality', question, roles.pro)).json().quality).toBe('hd');
  });
});

test.each([
  ['quality', {}],
  ['quality', { quadrant: 'middle', width: 1, height: 1 }],
  ['quality', { quadrant: 'top-left', width: 0, height: 1 }],
  ['quality', { quadrant: 'top-left', width: -1, height: 1 }],
  ['quality', { quadrant: 'top-left', width: 1e9, height: 1 }],
  ['quality', { quadrant: 'top-left', width: '960', height: 540 }],
  ['quality', { quadrant: 'top-left', width: 960, height: 540, bandwidth_mbps: -1 }],
  ['quality', { quadrant: 'top-left', width: 960, height: 540, device_pixel_ratio: 1e6 }],
  ['quality', { quadrant: 'top-left', width: 960, height: 540, dropped_frames_percent: 101 }],
  ['quality', []],
  ['quality', '{'],
  ['video-url', {}],
  ['video-url', { path: 'film.mp4' }],
  ['video-url', { path: '', quadrant: 'top-left' }],
  ['video-url', { path: 'a'.repeat(4_097), quadrant: 'top-left' }],
  ['video-url', { path: 'film.mp4\0', quadrant: 'top-left' }],
  ['video-url', { path: ['film.mp4'], quadrant: 'top-left' }],
  ['video-url', { path: 'film.mp4', quadrant: 'top-left', quality: '8k' }],
  ['video-url', { path: 'film.mp4', quadrant: 'top-left', quality: { $ne: null } }],
])('%s refuses %j with 400', async (call, body) => {
  const headers = { 'content-type': 'application/json' };
  const reply = await post(call, typeof body === 'string' ? body : JSON.stringify(body), headers);
  expect(reply.statusCode).toBe(400);
  expect(['validation_failed', 'bad_request']).toContain(reply.json().error);
});

test('a closed site chooses and names nothing', async () => {
  const closed = await startServer({ env: { SITE_PASSWORD: 'open sesame' } });
  const question = { path: 'film.mp4', quadrant: 'top-left', width: 960, height: 540 };
  for (const call of ['quality', 'video-url']) {
    const reply = await closed.call('POST', `/api/optimization/${call}`, { payload: question });
    expect([reply.statusCode, reply.json().error]).toEqual([401, 'site_password_required']);
  }
});
