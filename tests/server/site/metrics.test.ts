import { get } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '#server/http/pipeline/listen.ts';
import { putHugeVideo } from '#tests/support/media/huge-video.ts';
import { findValue, parseMetrics } from '#tests/support/metrics-text.ts';
import { putPerson } from '#tests/support/people.ts';
import { samplesUntil, sendReport, viewerCookie } from '#tests/support/performance-reports.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const token = 'a-token-that-nobody-guesses';
const env = { METRICS_TOKEN: token };
const authorization = `Bearer ${token}`;
const library = temporaryFolder(afterFile);
putHugeVideo(library, 'holiday-film.mp4');
const server = await startServer({ env, library: [library] }, afterFile);

async function scrape(from: ServerUnderTest = server) {
  const reply = await from.get('/metrics', { authorization });
  expect(reply.statusCode).toBe(200);
  return parseMetrics(reply.body);
}

/** An answer without what differs from one to the next. */
function plain({
  statusCode,
  headers: { date, 'x-request-id': _, ...headers },
  body,
}: Awaited<ReturnType<typeof server.get>>) {
  return { statusCode, headers, body };
}

test('without a token there is no such page, by any method and with any header', async () => {
  const shut = await startServer();
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE'] as const)
    for (const headers of [{}, { authorization }])
      expect(plain(await shut.call(method, '/metrics', { headers }))).toEqual(
        plain(await shut.call(method, '/no-such-page', { headers })),
      );
  expect((await shut.get('/metrics')).statusCode).toBe(404);
  expect(shut.services.metrics).toBeNull();
});

test('nobody reads them without the token, and nothing but the header brings it', async () => {
  const admin = await putPerson(server, 'keeper', 'admin');
  for (const [url, headers] of [
    ['/metrics', {}],
    ['/metrics', admin.headers],
    ['/metrics', { authorization: `Bearer ${token}x` }],
    ['/metrics', { accesskey: token, cookie: `token=${token}`, 'x-metrics-token': token }],
    [`/metrics?token=${token}&access_token=${token}`, {}],
  ] as const) {
    const reply = await server.get(url, headers);
    expect([url, reply.statusCode, reply.json().error]).toEqual([url, 401, 'unauthorized']);
    expect(reply.headers).toMatchObject({
      'www-authenticate': expect.stringMatching(/^Bearer realm="metrics"/),
      'cache-control': 'no-store',
    });
  }
});

test('whoever shows it reads text that is not stored, also compressed, and while the site is closed', async () => {
  const closed = await startServer({ env: { ...env, SITE_PASSWORD: 'open sesame' } });
  for (const each of [server, closed]) {
    const reply = await each.get('/metrics', { authorization });
    expect([reply.statusCode, reply.headers['content-type'], reply.headers['cache-control']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'no-store',
    ]);
    expect(findValue(parseMetrics(reply.body), 'fourfold_info', { version: '1.2.3' })).toBe(1);
    expect((await each.get('/metrics', { authorization, 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe(
      'gzip',
    );
  }
});

test('strangers who guess behind a proxy that nobody named do not lock out a monitor on this machine', async () => {
  const guessed = await startServer({ env });
  const guess = (number: number) =>
    guessed.get('/metrics', { authorization: `Bearer ${token}-${number}`, 'x-forwarded-for': `203.0.113.${number}` });
  for (let number = 0; number < 20; number += 1) expect((await guess(number)).statusCode).toBe(401);
  expect((await guess(20)).statusCode).toBe(429);
  expect((await guessed.get('/metrics', { authorization })).statusCode).toBe(200);
});

test('guessing is written down and limited, and the token is in no line of the log', async () => {
  const guessed = await startServer({ env: { ...env, LOG_LEVEL: 'trace' } });
  const guess = (number: number) => guessed.get('/metrics', { authorization: `Bearer ${token}-${number}` });
  for (let number = 0; number < 20; number += 1) expect((await guess(number)).statusCode).toBe(401);
  expect((await guess(20)).statusCode).toBe(429);
  expect((await guessed.get('/metrics', { authorization })).statusCode).toBe(429);
  await guessed.get(`/metrics?token=${token}`);
  guessed.services.log.info(
    { env: guessed.services.env, headers: { authorization }, METRICS_TOKEN: token },
    'what somebody might log by mistake',
  );
  const logged = guessed.logged();
  expect(logged).not.toContain(token);
  expect(logged.match(/audit: metrics_refused address=127\.0\.0\.1 request=\S+ reason=unauthorized/g)).toHaveLength(20);
  expect(logged).toMatch(/audit: metrics_refused .* reason=rate_limited/);
});

test('requests are counted by method, route and class of status, exactly', async () => {
  const before = await scrape();
  await server.get('/api/status');
  await server.get('/api/status?again=1');
  await server.get('/api/videos/nothing-here');
  await server.get('/api/videos/nothing-there');
  await server.call('PUT', '/api/status');
  await server.call('POST', '/auth/login', { payload: { identifier: 'nobody', password: 'wrong password' } });
  await server.get('/api/debug');
  await server.get('/quite/unknown');
  const after = await scrape();
  const grown = (after.get('fourfold_http_requests_total')?.samples ?? [])
    .map(({ labels, value }) => {
      const { method = '', route = '', status = '' } = labels;
      const was = findValue(before, 'fourfold_http_requests_total', { method, route, status }) ?? 0;
      return [`${method} ${route} ${status}`, value - was] as const;
    })
    .filter(([, more]) => more > 0);
  expect(Object.fromEntries(grown)).toEqual({
    'GET /api/status 2xx': 2,
    'GET /api/videos/:id 4xx': 2,
    'PUT /api/status 4xx': 1,
    'POST /auth/login 4xx': 1,
    'GET /api/debug 4xx': 1,
    'GET unknown 4xx': 1,
    'GET /metrics 2xx': 1,
  });
  const timed = (families: typeof after) =>
    findValue(families, 'fourfold_http_request_duration_seconds_count', { method: 'GET', route: '/api/status' }) ?? 0;
  expect(timed(after) - timed(before)).toBe(2);
});

test('picks are counted, those of the page as well as those of calls', async () => {
  const empty = await startServer({ env });
  await server.get('/api/video/top-left');
  await server.get('/api/video/top-right');
  await server.get('/api/video/top-left?tag_ids=none');
  await empty.get('/api/video/top-left');
  const [families, ofEmpty] = [await scrape(), await scrape(empty)];
  expect(findValue(families, 'fourfold_picks_total', { outcome: 'picked' })).toBe(2);
  expect(findValue(families, 'fourfold_picks_total', { outcome: 'none' })).toBe(1);
  expect(findValue(families, 'fourfold_pick_duration_seconds_count')).toBe(3);
  expect(findValue(ofEmpty, 'fourfold_picks_total', { outcome: 'none' })).toBe(1);
  expect(findValue(families, 'fourfold_videos_available')).toBe(1);
});

test('a video that is being sent shows as one, and as aborted when its viewer hangs up', async () => {
  const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  const path = '/api/video/stream?path=holiday-film.mp4';
  const { promise, resolve } = Promise.withResolvers<void>();
  const request = get({ port, host: '127.0.0.1', path, agent: false }, (answer) =>
    answer.once('data', () => resolve()),
  );
  request.on('error', () => {});
  onTestFinished(() => void request.destroy());
  await promise;
  const during = await scrape();
  expect(findValue(during, 'fourfold_streams_open')).toBe(1);
  expect(findValue(during, 'fourfold_http_requests_open')).toBe(2);
  request.destroy();
  const route = { route: '/api/video/stream' };
  await vi.waitFor(async () => {
    const after = await scrape();
    expect(findValue(after, 'fourfold_http_requests_total', { ...route, status: 'aborted' })).toBe(1);
    expect(findValue(after, 'fourfold_streams_open')).toBe(0);
  });
  expect(findValue(await scrape(), 'fourfold_http_request_duration_seconds_count', route)).toBe(0);
});

test('bytes of videos are counted as they are sent', async () => {
  const before = findValue(await scrape(), 'fourfold_video_sent_bytes_total') ?? 0;
  const reply = await server.get('/api/video/stream?path=holiday-film.mp4', { range: 'bytes=1000-1999' });
  expect(reply.statusCode).toBe(206);
  expect((findValue(await scrape(), 'fourfold_video_sent_bytes_total') ?? 0) - before).toBe(1_000);
});

test('what players report of the last minute is there for all viewers together', async () => {
  const clock = settableClock();
  const watched = await startServer({ env, overrides: { clock } });
  const silent = await scrape(watched);
  expect(findValue(silent, 'fourfold_playback_samples')).toBe(0);
  expect(findValue(silent, 'fourfold_playback_buffer_seconds')).toBeUndefined();
  for (const [viewer, facts] of [
    [1, { dropped_frames: 3, buffer_level_seconds: 4 }],
    [2, { stall_events: 1, buffer_level_seconds: 8 }],
  ] as const) {
    const samples = samplesUntil(clock.now(), 5, facts);
    expect((await sendReport(watched, 'top-left', { samples }, { viewer: viewerCookie(viewer) })).statusCode).toBe(202);
  }
  const families = await scrape(watched);
  expect(findValue(families, 'fourfold_playback_viewers')).toBe(2);
  expect(findValue(families, 'fourfold_playback_samples')).toBe(10);
  expect(findValue(families, 'fourfold_playback_frames')).toBe(300);
  expect(findValue(families, 'fourfold_playback_dropped_frames')).toBe(15);
  expect(findValue(families, 'fourfold_playback_stalls')).toBe(5);
  expect(findValue(families, 'fourfold_playback_buffer_seconds')).toBe(6);
  clock.pass(120_000);
  expect(findValue(await scrape(watched), 'fourfold_playback_samples')).toBe(0);
});

test('1,000 addresses that nobody knows add nothing to the text', async () => {
  const ask = (number: number) => server.get(`/${number}/${'x'.repeat(number % 50)}?q=${number}`);
  const countLines = async () =>
    (await server.get('/metrics', { authorization })).body.match(/^fourfold_http/gm)?.length;
  await ask(1);
  await scrape();
  const lines = await countLines();
  for (let start = 0; start < 1_000; start += 200)
    await Promise.all(Array.from({ length: 200 }, (_, index) => ask(start + index)));
  expect(await countLines()).toBe(lines);
});

test('no name, address or id of anybody or anything stands in them', async () => {
  const { headers, id } = await putPerson(server, 'marianne');
  const pick = (await server.get('/api/video/top-left', headers)).json();
  await server.get(`/api/videos/${pick.id}`, headers);
  await server.get(`/api/video/stream?path=${pick.path}`, { ...headers, range: 'bytes=0-9' });
  const { body } = await server.get('/metrics', { authorization });
  for (const word of ['marianne', id, pick.id, 'holiday', 'film', library, '127.0.0.1', token])
    expect([word, body.includes(word)]).toEqual([word, false]);
});
