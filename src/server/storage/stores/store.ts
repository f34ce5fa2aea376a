import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { systemClock } from '../../clock.ts';
import type { Env } from '../../env.ts';
import { EnvRefused } from '../../env.ts';
import type { Log } from '../../log.ts';
import type { DiskSpace } from '../disk-space.ts';
import { RemoteCopies } from '../remote-copies.ts';
import type { PartedStorage, Storage } from '../storage.ts';
import type { StoreClient } from './bucket-storage.ts';
import { BucketStorage } from './bucket-storage.ts';
import { BunnyClient, readBunnyAddress } from './bunny-client.ts';
import { DirectAddresses } from './direct-addresses.ts';
import type { S3Address } from './s3-address.ts';
import { describeS3, readS3Address } from './s3-address.ts';
import { S3Client } from './s3-client.ts';
import type { StoreFacts } from './store-calls.ts';
import { isMomentary, isStoreFault, StoreAway, StoreRefusal } from './store-calls.ts';

/** The room for copies unless CACHE_GB says it. */
const copiesShareOfFree = 0.1;
const copiesMaxBytes = 50e9;
/** `/readyz`, which anybody may call, asks the store no more often. */
const checkedMs = 2_000;

/** The store of `STORAGE_URL`, which all nodes reach. */
export class Store {
  private readonly client: StoreClient;
  private checked: { at: number; answer: Promise<void> } | null = null;
  /** The addresses by which browsers fetch its files; null if the server sends all bytes itself. */
  readonly direct: DirectAddresses | null;
  /** Copies of its files on this machine. */
  readonly copies: RemoteCopies;
  /** Its address for people, without the key. */
  readonly place: string;

  /**
   * @param cacheFolder absolute
   * @throws EnvRefused for an address that is none
   */
  constructor({ url, secret }: NonNullable<Env['store']>, { cacheFolder, env, diskSpace }: StoreDeps) {
    const { client, address } = openClient(url, secret);
    this.client = client;
    this.place = describeS3(address);
    const { delivery } = env;
    const clockOffMs = () => client.facts.clockOffMs;
    this.direct =
      delivery.kind === 'server'
        ? null
        : new DirectAddresses({ place: address, delivery, clock: systemClock, clockOffMs });
    this.copies = openCopies({ cacheFolder, env, diskSpace });
  }

  facts(): StoreFacts {
    return this.client.facts;
  }

  /** @param prefix with a slash at its end */
  storage(prefix: string): PartedStorage {
    return new BucketStorage(this.client, prefix, this.copies, this.direct);
  }

  /** @throws EnvRefused when another site keeps its files there, or the key opens nothing */
  claim(deps: Pick<ClaimDeps, 'site' | 'clock' | 'log' | 'wait'>): Promise<void> {
    return claimPlace({ ...deps, client: this.client, files: this.storage(''), place: this.place });
  }

  /** Asks at most once in two seconds, however many want to know. @throws while it does not answer */
  check(): Promise<void> {
    const now = systemClock.elapsed();
    if (this.checked === null || now - this.checked.at >= checkedMs) {
      const answer = this.client.head(markerKey).then(() => {});
      this.checked = { at: now, answer };
    }
    return this.checked.answer;
  }
}

interface StoreDeps extends CopiesDeps {
  env: CopiesDeps['env'] & Pick<Env, 'delivery'>;
}

interface CopiesDeps {
  /** Absolute. */
  cacheFolder: string;
  env: Pick<Env, 'cacheBytes' | 'dataFolder'>;
  diskSpace: DiskSpace;
}

/** The copies of remote files on this machine, within the room that the settings give them. */
export function openCopies({ cacheFolder, env, diskSpace }: CopiesDeps): RemoteCopies {
  const copies: RemoteCopies = new RemoteCopies(join(cacheFolder, 'remote'), async () => {
    if (env.cacheBytes !== undefined) return env.cacheBytes;
    const free = ((await diskSpace.read(env.dataFolder))?.free ?? 0) + copies.bytes;
    return Math.min(free * copiesShareOfFree, copiesMaxBytes);
  });
  return copies;
}

function openClient(url: string, secret: string): { client: StoreClient; address: S3Address } {
  try {
    const isBunny = url.startsWith('bunny:');
    const address = isBunny ? readBunnyAddress(url, secret) : readS3Address(url, secret);
    return { client: isBunny ? new BunnyClient(address) : new S3Client(address), address };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new EnvRefused([`STORAGE_URL ${error.message}`]);
  }
}

const markerKey = 'fourfold-site.json';
/** Two sites that claim a place at once see each other's name after this time. */
const settlesMs = 2_000;
const retryMs = 1_000;
const patienceMs = 30_000;

interface ClaimDeps {
  client: StoreClient;
  /** All that lies there. */
  files: Pick<Storage, 'read'>;
  /** Its address for people. */
  place: string;
  /** A name that no other site has. */
  site: string;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  wait?(ms: number): Promise<unknown>;
}

/**
 * Makes sure that no other site keeps its files at this place: each would sweep away the other's.
 * Waits for half a minute for a store that does not answer.
 * @throws EnvRefused for the place of another site, a wrong key, or a bucket that is not there
 */
async function claimPlace(deps: ClaimDeps): Promise<void> {
  const { clock, log, wait = pause } = deps;
  const startedAt = clock.elapsed();
  for (let tries = 0; ; tries += 1) {
    try {
      await claimNow(deps, wait);
      return;
    } catch (error) {
      if (error instanceof StoreRefusal && !isMomentary(error)) throw new EnvRefused([explain(error, deps.place)]);
      if (!isStoreFault(error)) throw error;
      if (clock.elapsed() - startedAt >= patienceMs) throw describeAway(error, deps.place);
      if (tries === 0) log.warn('the store does not answer; it is waited for, for up to 30 seconds');
    }
    await wait(retryMs);
  }
}

function describeAway(cause: unknown, place: string): StoreAway {
  const words = cause instanceof Error ? cause.message : String(cause);
  return new StoreAway(
    `STORAGE_URL leads to a store that cannot be used. ${words} See that it runs, and that this machine reaches ${place}.`,
    { cause },
  );
}

async function claimNow(
  { client, files, place, site }: ClaimDeps,
  wait: (ms: number) => Promise<unknown>,
): Promise<void> {
  const owner = await readOwner(files);
  if (owner === null) {
    await client.put(markerKey, Buffer.from(JSON.stringify({ site })), 'application/json');
    await wait(settlesMs);
  }
  if ((owner ?? (await readOwner(files))) !== site)
    throw new EnvRefused([
      `STORAGE_URL names a place where another site keeps its files: ${place}. Give this one a prefix of its own`,
    ]);
}

/** Null where no site keeps its files. */
async function readOwner(files: Pick<Storage, 'read'>): Promise<string | null> {
  const marker = await files.read(markerKey);
  if (marker === null) return null;
  try {
    return String((JSON.parse(marker.toString()) as { site?: unknown }).site);
  } catch {
    return '';
  }
}

function explain({ status, code, message }: StoreRefusal, place: string): string {
  if (code === 'NoSuchBucket' || status === 404) return `STORAGE_URL names a bucket that is not there: ${place}`;
  if (status === 401 || status === 403)
    return `STORAGE_URL and STORAGE_SECRET open nothing at ${place}: ${code || status}`;
  return `STORAGE_URL cannot be used: ${message}`;
}
