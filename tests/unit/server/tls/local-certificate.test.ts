import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EnvRefused } from '#server/env.ts';
import { permitFor } from '#server/http/local-names.ts';
import { issueLeaf, makeAuthority } from '#server/tls/local-authority.ts';
import type { LocalCertificate, LocalHost } from '#server/tls/local-certificate.ts';
import { openLocalCertificate } from '#server/tls/local-certificate.ts';
import type { TlsCertificate } from '#server/tls/tls-certificate.ts';
import { certificateNames } from '#server/tls/tls-certificate.ts';
import type { Handshake } from '#tests/support/secure-host.ts';
import { hostWith, shakeHands, standingClock } from '#tests/support/secure-host.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const today = Date.now();

function open(folder: string, host: () => LocalHost, clock = standingClock(today)): Promise<LocalCertificate> {
  return openLocalCertificate({ folder, clock, readHost: host, addedNames: [] });
}

const home = () => hostWith('192.168.1.20');

async function shakeHandsWith(certificate: TlsCertificate, ca: string, name: string): Promise<Handshake> {
  const server = createServer(certificate).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return shakeHands({ port: (server.address() as AddressInfo).port, ca, name });
}

describe('a client that trusts the authority', () => {
  test.each(['nas', 'nas.local', 'localhost', '192.168.1.20', '127.0.0.1', '::1'])(
    'accepts the server as %s',
    async (name) => {
      const local = await open(temporaryFolder(), home);
      expect(await shakeHandsWith(local.current(), local.authority.toString(), name)).toMatchObject({ refusal: null });
    },
  );

  test('refuses it as another name', async () => {
    const local = await open(temporaryFolder(), home);
    expect(await shakeHandsWith(local.current(), local.authority.toString(), 'example.com')).toMatchObject({
      refusal: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  test.each(['example.com', 'router.local', '8.8.8.8', '10.0.0.1', '2001:db8::1'])(
    'refuses what a stolen key would sign for %s',
    async (name) => {
      const authority = await makeAuthority('nas', permitFor(['nas', 'nas.local', '192.168.1.20']), today);
      const forged = await issueLeaf(authority, ['nas', name], today);
      expect(await shakeHandsWith(forged, authority.cert, name)).toMatchObject({
        refusal: 'permitted subtree violation',
      });
    },
  );

  test('refuses what another authority below it would sign', async () => {
    const authority = await makeAuthority('nas', permitFor(['nas']), today);
    const leaf = await issueLeaf(authority, ['nas'], today);
    const below = await issueLeaf(leaf, ['nas'], today);
    expect(await shakeHandsWith({ cert: below.cert + leaf.cert, key: below.key }, authority.cert, 'nas')).toMatchObject(
      {
        refusal: 'key usage does not include certificate signing',
      },
    );
  });
});

describe('a host whose name is a public suffix', () => {
  const called = (hostname: string) => () => ({ ...home(), hostname });

  test.each(['tv', 'dev', 'media', 'co.uk'])('is vouched for by %s.local and its addresses alone', async (name) => {
    const local = await open(temporaryFolder(), called(name));
    const names = certificateNames(local.current());
    expect(names).toContain('192.168.1.20');
    expect(names.filter((one) => !one.includes('.local')).join()).not.toMatch(/tv|dev|media|co/);
    expect(
      await shakeHandsWith(local.current(), local.authority.toString(), `${name.split('.')[0]}.local`),
    ).toMatchObject({ refusal: null });
  });

  test('has an authority whose stolen key could sign for nothing below that name', async () => {
    const folder = temporaryFolder();
    await open(folder, called('tv'));
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    const authority = { cert: read('authority.crt'), key: read('authority.key') };
    expect(
      await shakeHandsWith(await issueLeaf(authority, ['pluto.tv'], today), authority.cert, 'pluto.tv'),
    ).toMatchObject({
      refusal: 'permitted subtree violation',
    });
  });

  test('is told of an older authority that may vouch for it', async () => {
    const folder = temporaryFolder();
    await open(folder, home);
    const { cert, key } = await makeAuthority('tv', permitFor(['tv', 'tv.local', '192.168.1.20']), today);
    writeFileSync(join(folder, 'authority.crt'), cert);
    writeFileSync(join(folder, 'authority.key'), key);
    const local = await open(folder, called('tv'));
    expect(local.publicSuffixes).toEqual(['tv']);
    expect(certificateNames(local.current())).not.toContain('tv');
    expect((await open(folder, home)).publicSuffixes).toEqual([]);
  });

  test('cannot be added by TLS_NAMES', async () => {
    const opening = openLocalCertificate({
      folder: temporaryFolder(),
      clock: standingClock(today),
      readHost: home,
      addedNames: ['nas.fritz.box', 'box'],
    });
    await expect(opening).rejects.toThrow(
      'TLS_NAMES: all names below box belong to others; use a longer one, as box.local',
    );
  });
});

describe('what is kept', () => {
  const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

  test('the keys can be read by their owner alone', async () => {
    const folder = join(temporaryFolder(), 'tls');
    await open(folder, home);
    expect([folder, join(folder, 'authority.key'), join(folder, 'server.key')].map(modeOf)).toEqual([
      '700',
      '600',
      '600',
    ]);
  });

  test('a key that was opened up is closed again', async () => {
    const folder = temporaryFolder();
    await open(folder, home);
    chmodSync(join(folder, 'authority.key'), 0o644);
    await open(folder, home);
    expect(modeOf(join(folder, 'authority.key'))).toBe('600');
  });

  test('a restart keeps the authority and the certificate', async () => {
    const folder = temporaryFolder();
    const first = await open(folder, home);
    const second = await open(folder, home);
    expect(second.authority.fingerprint256).toBe(first.authority.fingerprint256);
    expect(second.current()).toEqual(first.current());
  });

  test('a start that was cut between the two files of an authority makes it anew', async () => {
    const folder = temporaryFolder();
    await open(folder, home);
    rmSync(join(folder, 'authority.crt'));
    const local = await open(folder, home);
    expect(await shakeHandsWith(local.current(), local.authority.toString(), 'nas')).toMatchObject({ refusal: null });
  });

  test('a certificate that does not fit its key is issued again', async () => {
    const folder = temporaryFolder();
    const first = await open(folder, home);
    writeFileSync(join(folder, 'server.key'), readFileSync(join(folder, 'authority.key')));
    const second = await open(folder, home);
    expect(second.authority.fingerprint256).toBe(first.authority.fingerprint256);
    expect(second.current().cert).not.toBe(first.current().cert);
  });

  test.each([
    ['lost', (folder: string) => rmSync(join(folder, 'authority.key')), 'authority.key holds no private key'],
    [
      'foreign',
      (folder: string) => writeFileSync(join(folder, 'authority.key'), readFileSync(join(folder, 'server.key'))),
      'authority.key belongs to another certificate',
    ],
    [
      'damaged',
      (folder: string) => writeFileSync(join(folder, 'authority.crt'), 'x'),
      'authority.crt holds no certificate',
    ],
  ])('an authority with a %s file is refused, never replaced', async (_state, spoil, sentence) => {
    const folder = temporaryFolder();
    await open(folder, home);
    spoil(folder);
    const refused = await open(folder, home).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EnvRefused);
    expect((refused as EnvRefused).message).toContain(sentence);
  });

  test('a machine whose clock was never set makes no authority', async () => {
    await expect(open(temporaryFolder(), home, standingClock(0))).rejects.toThrow('clock is not set');
  });
});

describe('renewal', () => {
  const daysOf = ({ cert }: TlsCertificate) => {
    const { validFromDate, validToDate } = new X509Certificate(cert);
    return (validToDate.getTime() - validFromDate.getTime()) / (24 * 3_600_000);
  };

  test('a certificate lives 397 days and is issued again sixty days before its end', async () => {
    const clock = standingClock(today);
    const local = await open(temporaryFolder(), home, clock);
    expect(daysOf(local.current())).toBe(397);
    clock.pass(335);
    expect(await local.refresh()).toBe(false);
    clock.pass(2);
    expect(await local.refresh()).toBe(true);
    expect(await local.refresh()).toBe(false);
  });

  test('a certificate from a clock that was set back is issued again', async () => {
    const clock = standingClock(today);
    const local = await open(temporaryFolder(), home, clock);
    clock.pass(-30);
    expect(await local.refresh()).toBe(true);
  });

  test('near its own end the authority gives what it has left, once', async () => {
    const clock = standingClock(today);
    const local = await open(temporaryFolder(), home, clock);
    clock.pass(3_600);
    expect(await local.refresh()).toBe(true);
    expect(new X509Certificate(local.current().cert).validToDate).toEqual(local.authority.validToDate);
    clock.pass(20);
    expect(await local.refresh()).toBe(false);
  });

  test('a new address of the home network is taken in', async () => {
    let host = home();
    const local = await open(temporaryFolder(), () => host);
    host = hostWith('192.168.1.77');
    expect(await local.refresh()).toBe(true);
    expect(certificateNames(local.current())).toContain('192.168.1.77');
    expect(await shakeHandsWith(local.current(), local.authority.toString(), '192.168.1.77')).toMatchObject({
      refusal: null,
    });
    expect(local.beyond()).toEqual([]);
  });

  test('an address that went away changes nothing', async () => {
    let host = hostWith('192.168.1.20', '192.168.1.21');
    const local = await open(temporaryFolder(), () => host);
    host = home();
    expect(await local.refresh()).toBe(false);
  });

  test('an address beyond the limits is left out, so that the names go on working', async () => {
    let host = home();
    const local = await open(temporaryFolder(), () => host);
    host = hostWith('10.0.0.5');
    expect(await local.refresh()).toBe(false);
    expect(local.beyond()).toEqual(['10.0.0.5']);
    expect(await local.refresh()).toBe(false);
    expect(await shakeHandsWith(local.current(), local.authority.toString(), 'nas.local')).toMatchObject({
      refusal: null,
    });
  });
});
