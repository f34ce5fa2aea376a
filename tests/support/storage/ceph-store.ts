import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePackages } from '../debian-packages.ts';
import { findFreePort } from '../free-port.ts';
import type { AtEnd } from '../temporary-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { RealStore } from './swift-store.ts';
import { makeBucket, startPrograms, untilHealthy } from './swift-store.ts';

const run = promisify(execFile);
const packages = ['ceph-mon', 'ceph-osd', 'ceph-common', 'radosgw'];

/**
 * Starts Ceph from Debian's packages: a monitor, one store that keeps its objects in memory, and the
 * gateway that speaks S3.
 * @throws where these packages cannot be had
 */
export async function startCeph(atEnd: AtEnd): Promise<RealStore> {
  await ensurePackages(packages);
  const folder = temporaryFolder(atEnd);
  for (const name of ['mon', 'osd', 'run']) mkdirSync(join(folder, name));
  const [second = 0, first = 0, gateway = 0] = await Promise.all(['v2', 'v1', 'gateway'].map(findFreePort));
  const monitor = `[v2:127.0.0.1:${second},v1:127.0.0.1:${first}]`;
  const [site, osd] = [randomUUID(), randomUUID()];
  const conf = join(folder, 'ceph.conf');
  const [keys, map] = ['keyring', 'monmap'].map((name) => join(folder, name));
  writeFileSync(conf, confText(folder, { site, monitor, gateway }));
  writeFileSync(keys ?? '', keyringText(execFileSync('ceph-authtool', ['--gen-print-key']).toString().trim()));
  await run('monmaptool', ['--create', '--fsid', site, '--addv', 'a', monitor, map ?? '']);
  await run('ceph-mon', ['-c', conf, '--mkfs', '-i', 'a', '--monmap', map ?? '', '--keyring', keys ?? '']);
  const start = startPrograms(atEnd);
  start('ceph-mon', ['-c', conf, '-i', 'a', '-f']);
  await run('ceph', ['-c', conf, 'osd', 'new', osd]);
  await run('ceph-osd', ['-c', conf, '-i', '0', '--mkfs', '--osd-uuid', osd]);
  start('ceph-osd', ['-c', conf, '-i', '0', '-f']);
  start('radosgw', ['-c', conf, '-n', 'client.admin', '-f']);
  const host = `127.0.0.1:${gateway}`;
  await untilHealthy(`http://${host}/`);
  const secret = 'secret_of_the_store';
  const names = ['--uid', 'site', '--display-name', 'site', '--access-key', 'site', '--secret', secret];
  await run('radosgw-admin', ['-c', conf, 'user', 'create', ...names]);
  const url = (place: string) => `s3://site@${host}/${place}?tls=off`;
  return { host, secret, url, makeBucket: (name) => makeBucket(url(name), secret) };
}

/** One key opens everything. */
function keyringText(key: string): string {
  return `[mon.]
key = ${key}
caps mon = "allow *"
[client.admin]
key = ${key}
caps mon = "allow *"
caps osd = "allow *"
[osd.0]
key = ${key}
caps mon = "allow profile osd"
caps osd = "allow *"
`;
}

interface CephPlace {
  site: string;
  monitor: string;
  gateway: number;
}

function confText(folder: string, { site, monitor, gateway }: CephPlace): string {
  return `[global]
keyring = ${folder}/keyring
fsid = ${site}
mon host = ${monitor}
auth allow insecure global id reclaim = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
run dir = ${folder}/run
crash dir = ${folder}/run
admin socket =
log file = ${folder}/$name.log
mon cluster log file = ${folder}/cluster.log
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd crush chooseleaf type = 0
mon allow pool size one = true
[mon]
mon data = ${folder}/mon
mon initial members = a
mon data avail crit = 1
mon data avail warn = 1
[osd]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 8589934592
[client.admin]
rgw data = ${folder}/run
rgw frontends = beast endpoint=127.0.0.1:${gateway}
rgw enable apis = s3
`;
}
