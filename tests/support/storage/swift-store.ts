import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { readS3Address } from '#server/storage/stores/s3-address.ts';
import { S3Protocol } from '#server/storage/stores/s3-protocol.ts';
import { StoreTransport } from '#server/storage/stores/store-transport.ts';
import { ensurePackages } from '../debian-packages.ts';
import { findFreePort } from '../free-port.ts';
import type { AtEnd } from '../temporary-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const packages = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached'];
const rings = ['account', 'container', 'object'] as const;
const tries = 600;

/** The files of one run that may ask for an account of their own. */
const accounts = Array.from({ length: 32 }, (_, at) => `site${at}`);

declare module 'vitest' {
  interface ProvidedContext {
    /** The address that starts the run's Swift for the first who asks. */
    swift: string;
  }
}

/** A store that speaks S3, on this machine alone. */
export interface RealStore {
  /** Such as `127.0.0.1:6200`. */
  host: string;
  secret: string;
  /** What `STORAGE_URL` says. @param place the bucket, and a prefix in it */
  url(place: string): string;
  makeBucket(name: string): Promise<void>;
}

/** OpenStack Swift. */
export interface SwiftStore extends RealStore {
  /** Makes a bucket that everybody may read. @returns its address for them, with a slash at its end */
  makeOpenBucket(name: string): Promise<string>;
}

/** Opens a store that `TEST_STORE` names: an account of the run's Swift, unless it says `ceph`. */
export async function openStore(atEnd: AtEnd): Promise<RealStore | null> {
  if (process.env.TEST_STORE !== 'ceph') return openSwiftAccount();
  const { startCeph } = await import('./ceph-store.ts');
  return startCeph(atEnd);
}

/**
 * Keeps one Swift for all files of a run: a start takes the processors for many seconds. It starts for the first file
 * that asks.
 * @returns what ends it
 */
export async function keepSwift(project: TestProject): Promise<() => Promise<void>> {
  const endings: Parameters<AtEnd>[0][] = [];
  const left = [...accounts];
  let starting: Promise<string | null> | undefined;
  const server = createServer(async (_, response) => {
    try {
      starting ??= startServers((end) => endings.unshift(end));
      response.end(JSON.stringify({ host: await starting, account: left.shift() }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('swift', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    for (const end of endings) await end();
  };
}

/**
 * Opens a new account of the run's Swift.
 * @returns null where the packages of Swift cannot be had
 */
export async function openSwiftAccount(): Promise<SwiftStore | null> {
  const reply = await fetch(inject('swift'));
  if (!reply.ok) throw new Error(`Swift could not be started: ${await reply.text()}`);
  const { host, account } = (await reply.json()) as { host: string | null; account?: string };
  if (host !== null && account === undefined) throw new Error('Swift has no account left.');
  return host === null ? null : accountOf(host, account);
}

/**
 * Starts a Swift for one test alone.
 * @param niceness above 0: the store takes only the time that others leave, as if it had a machine of its own
 * @returns null where its packages cannot be had
 */
export async function startSwift(atEnd: AtEnd, niceness = 0): Promise<SwiftStore | null> {
  const host = await startServers(atEnd, niceness);
  return host === null ? null : accountOf(host);
}

function accountOf(host: string, account = accounts[0]): SwiftStore {
  const url = (place: string) => `s3://${account}%3Akey@${host}/${place}?tls=off`;
  const secret = 'secret_of_the_store';
  return {
    ...{ host, secret, url },
    makeBucket: (name) => makeBucket(url(name), secret),
    async makeOpenBucket(name) {
      await makeBucket(url(name), secret, { 'x-amz-acl': 'public-read' });
      return `http://${host}/v1/AUTH_${account}/${name}/`;
    },
  };
}

/**
 * Starts Swift from Debian's packages: four servers and memcached, each on a port of its own.
 * @returns its host and port; null where these packages cannot be had
 */
async function startServers(atEnd: AtEnd, niceness = 0): Promise<string | null> {
  const reason = await ensurePackages(packages).catch((error: Error) => error.message);
  if (reason !== undefined) {
    console.log(`Nothing is tried on a real store: ${reason}`);
    return null;
  }
  const folder = temporaryFolder(atEnd);
  const ports = await Promise.all([...rings, 'proxy', 'cache'].map(findFreePort));
  const [account = 0, container = 0, object = 0, proxy = 0, cache = 0] = ports;
  mkdirSync(join(folder, 'devices/d1'), { recursive: true });
  writeFileSync(join(folder, 'swift.conf'), swiftText);
  const start = startPrograms(atEnd, niceness);
  start('memcached', ['-u', userInfo().username, '-l', '127.0.0.1', '-p', String(cache), '-m', '16']);
  for (const [name, port] of [
    ['account', account],
    ['container', container],
    ['object', object],
  ] as const) {
    const builder = join(folder, `${name}.builder`);
    const build = (...args: string[]) => execFileSync('swift-ring-builder', [builder, ...args], { stdio: 'ignore' });
    build('create', '4', '1', '1');
    build('add', `r1z1-127.0.0.1:${port}/d1`, '1');
    build('rebalance');
    start(`swift-${name}-server`, [writeConf(folder, name, serverText(folder, name, port))]);
  }
  start('swift-proxy-server', [writeConf(folder, 'proxy', proxyText(folder, proxy, cache))]);
  const host = `127.0.0.1:${proxy}`;
  await untilHealthy(`http://${host}/healthcheck`);
  // The proxy refuses what it has no server for yet.
  for (const port of [account, container, object]) await untilHealthy(`http://127.0.0.1:${port}/`, () => true);
  return host;
}

/** @param url what `STORAGE_URL` says of the bucket */
export async function makeBucket(url: string, secret: string, headers?: Record<string, string>): Promise<void> {
  const transport = new StoreTransport(new S3Protocol(readS3Address(url, secret)));
  await transport.send({ kind: 'make', method: 'PUT', headers });
}

/** @returns a function that starts a program, which is killed at the end */
export function startPrograms(atEnd: AtEnd, niceness = 0): (command: string, args: string[]) => void {
  const started: ChildProcess[] = [];
  atEnd(async () => {
    for (const child of started) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      child.kill('SIGKILL');
      await ended;
    }
  });
  return (command, args) => {
    const child = spawn(command, args, { stdio: 'ignore' });
    if (child.pid !== undefined && niceness > 0) setPriority(child.pid, niceness);
    started.push(child);
  };
}

export async function untilHealthy(address: string, isHealthy = ({ ok }: Response) => ok): Promise<void> {
  for (let left = tries; left > 0; left -= 1) {
    const reply = await fetch(address).catch(() => null);
    if (reply !== null && isHealthy(reply)) return;
    await delay(100);
  }
  throw new Error(`Nothing answers at ${address}.`);
}

function writeConf(folder: string, name: string, text: string): string {
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, text);
  return file;
}

const swiftText = `[swift-hash]
swift_hash_path_prefix = one
swift_hash_path_suffix = site
[storage-policy:0]
name = one
default = yes
`;

function defaultsText(folder: string, port: number): string {
  return `[DEFAULT]
swift_dir = ${folder}
bind_ip = 127.0.0.1
bind_port = ${port}
user = ${userInfo().username}
workers = 0
log_address = ${folder}/no-log
`;
}

function serverText(folder: string, name: string, port: number): string {
  return `${defaultsText(folder, port)}devices = ${folder}/devices
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;
}

const filters = ['catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'copy', 'bulk', 'dlo'];

function proxyText(folder: string, port: number, cachePort: number): string {
  return `${defaultsText(folder, port)}[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth copy bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
cors_allow_origin = *
cors_expose_headers = content-range, content-length, etag
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
[filter:s3api]
use = egg:swift#s3api
cors_preflight_allow_origin = *
min_segment_size = 1
[filter:slo]
use = egg:swift#slo
min_segment_size = 1
[filter:tempauth]
use = egg:swift#tempauth
${accounts.map((name) => `user_${name}_key = secret_of_the_store .admin\n`).join('')}${filters.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')}`;
}
