import { X509Certificate } from 'node:crypto';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLog } from '#server/log.ts';
import { openCertificateSite } from '#server/tls/certificate-site.ts';
import type { LocalHost } from '#server/tls/local-certificate.ts';
import { openSecureOrigin } from '#server/tls/secure-origin.ts';
import { hostWith, standingClock } from '#tests/support/secure-host.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

async function openSite(host: () => LocalHost = () => hostWith('192.168.1.20', 'fd00::20')) {
  const env = { dataFolder: temporaryFolder(), tls: { kind: 'local' as const, names: [], pagePort: 0 } };
  const origin = await openSecureOrigin(env, {
    clock: standingClock(Date.now()),
    log: createLog('silent'),
    readHost: host,
  });
  const local = origin!.local!;
  const site = await openCertificateSite({ origin: origin!, local, host: '0.0.0.0', port: 0, securePort: 4400 });
  onTestFinished(async () => {
    origin!.close();
    await site.close();
  });
  return { origin: origin!, local, site };
}

interface Reply {
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
}

function ask(port: number, path: string, { method = 'GET', host = 'nas.local' } = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path, method, headers: { host: `${host}:${port}` }, agent: false },
      async (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) });
      },
    );
    call.once('error', reject).end();
  });
}

describe('the page of the local authority', () => {
  test('hands out the certificate as devices expect it, and never the key', async () => {
    const { site, local } = await openSite();
    const { headers, body } = await ask(site.port, '/fourfold-authority.crt');
    expect(headers).toMatchObject({
      'content-type': 'application/x-x509-ca-cert',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-disposition']).toBeUndefined();
    expect(new X509Certificate(body).fingerprint256).toBe(local.authority.fingerprint256);
    expect(body.equals(local.authority.raw)).toBe(true);
  });

  test('shows the fingerprint, the addresses and its own address as a picture', async () => {
    const { site, local } = await openSite();
    const page = (await ask(site.port, '/')).body.toString();
    expect(page).toContain(local.authority.fingerprint256);
    for (const address of [
      'https://nas:4400',
      'https://nas.local:4400',
      'https://192.168.1.20:4400',
      'https://[fd00::20]:4400',
    ])
      expect(page).toContain(`href="${address}"`);
    expect(page).not.toContain('localhost');
    expect(site.address).toBe(`http://192.168.1.20:${site.port}`);
    expect(page).toContain(`href="${site.address}"`);
    expect(page).toMatch(/<svg role="img" aria-label="QR code[^"]+"/);
    for (const device of ['iPhone', 'Android', 'Windows', 'macOS', 'Firefox', 'TVs']) expect(page).toContain(device);
  });

  test('says no address to phones where only this machine can open it', async () => {
    const { local, origin } = await openSite();
    const site = await openCertificateSite({ origin, local, host: '127.0.0.1', port: 0, securePort: 4400 });
    onTestFinished(() => site.close());
    const page = (await ask(site.port, '/')).body.toString();
    expect(site.address).toBeNull();
    expect(page).not.toContain('127.0.0.1');
    expect(page).not.toContain('This page on a phone');
  });

  test('names the address first by which the caller came', async () => {
    const { site } = await openSite();
    const first = async (host: string) =>
      /<li><a href="(https:[^"]+)"/.exec((await ask(site.port, '/', { host })).body.toString())?.[1];
    expect(await first('192.168.1.20')).toBe('https://192.168.1.20:4400');
    expect(await first('[fd00::20]')).toBe('https://[fd00::20]:4400');
    expect(await first('localhost')).toBe('https://localhost:4400');
    expect(await first('evil.example"><script>')).toBe('https://nas:4400');
  });

  test('says so when an address is beyond what the authority may vouch for', async () => {
    let host = hostWith('192.168.1.20');
    const { site, origin } = await openSite(() => host);
    host = hostWith('10.0.0.5');
    await origin.refresh();
    expect((await ask(site.port, '/')).body.toString()).toContain('may not vouch for <code>10.0.0.5</code>');
  });

  test('runs without a script, and lets nothing in but its own style', async () => {
    const { site } = await openSite();
    const { headers, body } = await ask(site.port, '/');
    expect(body.toString()).not.toMatch(/<script|<link|<img|\son\w+=/);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
    expect(headers['set-cookie']).toBeUndefined();
  });

  test.each([
    '/api/config',
    '/api/video/stream?path=a.mp4',
    '/healthz',
    '/index.html',
    '/fourfold-authority.key',
    '/tls/authority.key',
    '/../authority.key',
    '//',
    '/favicon.ico',
  ])('has nothing at %s', async (path) => {
    const { site } = await openSite();
    expect((await ask(site.port, path)).status).toBe(404);
  });

  test('says which setting moves it when its port is taken', async () => {
    const { site, origin, local } = await openSite();
    await expect(
      openCertificateSite({ origin, local, host: '0.0.0.0', port: site.port, securePort: 4400 }),
    ).rejects.toThrow('HTTP_PORT');
  });

  test('takes nothing', async () => {
    const { site } = await openSite();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await ask(site.port, '/', { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(await ask(site.port, '/', { method: 'HEAD' })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });
});
