import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configSchema, statusSchema } from '#contract/entities/feed.ts';
import { healthSchema } from '#contract/entities/site.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const built = temporaryFolder(afterFile);
putFile(built, 'index.html', '<!doctype html>');
putFile(built, 'sw.js', 'self');
putFile(built, 'assets/app-1a2b.js', 'app');
putFile(built, 'assets/app-1a2b.js.br', 'brotli');
putFile(built, '.secret', 'secret');
const shippedNews = putFile(temporaryFolder(afterFile), 'whats-new.md', '# Shipped');

/** Of a new installation. */
const server = await startServer({ overrides: { folders: { app: built, shippedNews } } }, afterFile);

test('a server whose app is not built says so in its log, and what builds it', async () => {
  const app = temporaryFolder();
  const own = await startServer({ overrides: { folders: { app } } });
  expect(own.logged()).toContain(`The app is not built: browsers find no page here. npm run build makes it in ${app}.`);
});

describe('GET /api/config', () => {
  test('answers the defaults of a new installation', async () => {
    const reply = await server.get('/api/config');
    expect(configSchema.parse(reply.json())).toMatchObject({
      video_settings: { switch_interval_seconds: 120 },
      analytics: null,
      version: '1.2.3',
      upload: { allowed: 'everyone' },
      measured: { one_in: 1 },
    });
  });

  test.each([
    [{ UPLOADS: 'approval' }, 'approval'],
    [{ UPLOADS: 'admins' }, 'admins'],
  ])('tells with %j that %s may upload', async (env: Record<string, string>, allowed) => {
    const own = await startServer({ env });
    expect((await own.get('/api/config')).json().upload.allowed).toBe(allowed);
  });

  test('names the analytics service that the operator chose, and lets the page reach it', async () => {
    const own = await startServer({
      env: { ANALYTICS_MEASUREMENT_ID: 'site-1', ANALYTICS_ENDPOINT: 'https://stats.example/collect' },
    });
    const reply = await own.get('/api/config');
    expect(reply.json().analytics).toEqual({ measurement_id: 'site-1', endpoint: 'https://stats.example/collect' });
    expect(reply.headers['content-security-policy']).toContain("connect-src 'self' https://stats.example");
  });

  test('gives a new browser a name that scripts cannot read, and leaves a known one alone', async () => {
    const cookie = String((await server.get('/api/config')).headers['set-cookie']);
    expect(cookie).toMatch(/^viewer=[\w-]{24}; .*HttpOnly; SameSite=Lax/);
    expect((await server.get('/api/config', { cookie })).headers['set-cookie']).toBeUndefined();
    expect((await server.get('/api/config', { cookie: 'viewer=short' })).headers['set-cookie']).toBeDefined();
  });
});

test.each(['/api/config', '/api/status'])('GET %s answers 304 while nothing has changed', async (url) => {
  const first = await server.get(url);
  expect(first.headers['cache-control']).toBe('no-cache');
  const second = await server.get(url, { 'if-none-match': String(first.headers.etag) });
  expect([second.statusCode, second.body]).toEqual([304, '']);
  expect(second.headers['x-revision']).toBe(first.headers['x-revision']);
});

describe('GET /api/status', () => {
  test('counts what is there and what of it can be played', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'a.mp4', 'b.mp4');
    putFile(folder, 'empty.mp4', '');
    const own = await startServer({ library: [folder] });
    const status = statusSchema.parse((await own.get('/api/status')).json());
    expect(status).toMatchObject({ TotalVideos: 3, AvailableVideos: 2, total_videos: 3, available_videos: 2 });
    expect(status.QuadrantStatus['bottom-right'].PlaylistLength).toBe(2);
    expect(status.ScanningStatus).toEqual({
      FullScanComplete: true,
      BackgroundScanning: false,
      InitialScanComplete: true,
    });
  });

  test('says that a scan runs', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'a.mp4');
    const own = await startServer({ library: [folder] });
    const { database, scanner } = own.services;
    await database.write(async (transaction) => {
      // The scan's own last write waits until this one is through.
      await transaction.updateTable('library_roots').set({ missing_since: null }).execute();
      scanner.request();
      const { ScanningStatus } = (await own.get('/api/status')).json();
      expect(ScanningStatus).toEqual({ FullScanComplete: false, BackgroundScanning: true, InitialScanComplete: true });
    });
  });
});

describe('GET /whats-new.md', () => {
  test('answers the news that ship until the operator writes some', async () => {
    const shipped = await server.get('/whats-new.md');
    expect([shipped.headers['content-type'], shipped.body]).toEqual(['text/markdown; charset=utf-8', '# Shipped']);
    writeFileSync(join(server.services.env.dataFolder, 'whats-new.md'), '# Ours ✓');
    expect((await server.get('/whats-new.md')).body).toBe('# Ours ✓');
  });

  test('cuts a text of the operator that is too long to be read', async () => {
    writeFileSync(join(server.services.env.dataFolder, 'whats-new.md'), 'a'.repeat(5_000_000));
    expect((await server.get('/whats-new.md')).body.length).toBe(262_144);
  });
});

describe('GET /eula.md', () => {
  test('answers the agreement that ships until the operator writes one', async () => {
    const shipped = await server.get('/eula.md');
    expect([shipped.statusCode, shipped.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(shipped.body).toContain('# End-User License Agreement');
    // The dialog says the version, whoever wrote the text.
    expect(shipped.body).not.toContain('Version');
    writeFileSync(join(server.services.env.dataFolder, 'eula.md'), '# Our own');
    expect((await server.get('/eula.md')).body).toBe('# Our own');
  });

  test('is open while the gate is closed', async () => {
    const own = await startServer({ env: { SITE_PASSWORD: 'a long enough word' } });
    expect((await own.get('/eula.md')).statusCode).toBe(200);
  });
});

describe('health', () => {
  test('is ok when the process serves, and ready when database and storage answer', async () => {
    for (const url of ['/healthz', '/readyz']) {
      const reply = await server.get(url);
      expect(reply.statusCode).toBe(200);
      expect(healthSchema.parse(reply.json()).status).toBe('ok');
    }
  });

  test('is ready while a busy machine is still looking for ffmpeg and its sandbox', async () => {
    const own = await startServer();
    own.services.ffmpeg.locate = () => new Promise(() => {});
    const reply = await own.get('/readyz');
    expect([reply.statusCode, reply.json()]).toEqual([200, { status: 'ok' }]);
  });

  test('is not ready while the data folder is gone', async () => {
    const own = await startServer();
    rmSync(own.services.env.dataFolder, { recursive: true });
    const reply = await own.get('/readyz');
    expect([reply.statusCode, reply.json().error, reply.headers['retry-after']]).toEqual([503, 'unavailable', '5']);
  });

  test('is not ready, and still healthy, while the database does not answer', async () => {
    const own = await startServer();
    await own.services.database.close();
    expect((await own.get('/readyz')).statusCode).toBe(503);
    expect((await own.get('/healthz')).statusCode).toBe(200);
  });
});

describe('the app', () => {
  test('is served with its hashed files for ever, the page each time and the rest after asking', async () => {
    const page = await server.get('/');
    expect([page.statusCode, page.headers['cache-control'], page.body]).toEqual([
      200,
      'private, no-store',
      '<!doctype html>',
    ]);
    expect((await server.get('/sw.js')).headers['cache-control']).toBe('no-cache');
    expect((await server.get('/assets/app-1a2b.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    );
  });

  test('is served compressed to who can read that', async () => {
    const reply = await server.get('/assets/app-1a2b.js', { 'accept-encoding': 'br, gzip' });
    expect([reply.headers['content-encoding'], reply.body]).toEqual(['br', 'brotli']);
    expect(reply.headers['content-type']).toMatch(/^\w+\/javascript; charset=utf-8$/);
    expect(reply.headers.vary).toMatch(/accept-encoding/i);
    expect((await server.get('/assets/app-1a2b.js')).body).toBe('app');
  });

  test('has no addresses but its files', async () => {
    for (const url of [
      '/feed',
      '/.secret',
      '/assets/',
      '/assets/../.secret',
      '/%2e%2e/package.json',
      '/assets/none.js',
    ]) {
      const reply = await server.get(url, { accept: 'text/html' });
      expect([url, reply.statusCode, reply.json().error]).toEqual([url, 404, 'not_found']);
    }
  });
});
