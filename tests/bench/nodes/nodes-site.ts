import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startBalancer } from '#tests/proxies/balancers.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { ensurePackages } from '#tests/support/debian-packages.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { FaultyNetwork } from '#tests/support/network/faulty-network.ts';
import type { ServerProcess } from '#tests/support/processes/server-process.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import type { RealStore } from '#tests/support/storage/swift-store.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import type { Fault } from './history.ts';
import type { Recorder } from './recorder.ts';
import { now } from './recorder.ts';

const hasHaproxy = await ensurePackages(['haproxy']).then(
  () => true,
  () => false,
);
const bucket = 'nodes';
const names = ['one', 'two', 'three'] as const;
const loaded = (file: string) => `--import=${new URL(file, import.meta.url).href}`;

/** What a node is started with. */
interface NodeParts {
  name: string;
  env: Record<string, string>;
  database: { network: FaultyNetwork; url: string };
  store: FaultyNetwork;
  recorder: Recorder;
  /** Modules that plant faults. */
  planted: readonly string[];
}

/** A node of the site: one process after the other at the same port, with its own ways to database and store. */
export class SiteNode {
  readonly name: string;
  private readonly parts: NodeParts;
  private process: ServerProcess | null = null;
  private count = 0;
  private isEnding = false;

  constructor(parts: NodeParts) {
    this.name = parts.name;
    this.parts = parts;
  }

  get address(): string {
    return `http://127.0.0.1:${this.parts.env.PORT}`;
  }

  /** @returns once it listens */
  async start(): Promise<void> {
    const { env, database, planted, recorder } = this.parts;
    this.count += 1;
    this.isEnding = false;
    const url = new URL(database.url);
    const name = `${this.name}-${this.count}`;
    url.searchParams.set('application_name', name);
    const options = ['./store-address.ts', ...planted].map(loaded).join(' ');
    const process = runServer({ ...env, DATABASE_URL: url.href, NODE_OPTIONS: options });
    const record = { node: this.name, name, begin: now(), end: Number.POSITIVE_INFINITY, hasFailed: false };
    recorder.processes.push(record);
    this.process = process;
    void process.ended().then(() => {
      record.end = now();
      record.hasFailed = !this.isEnding;
    });
    await process.address();
  }

  signal(signal: NodeJS.Signals): void {
    this.process?.kill(signal);
  }

  /** Ends the process by a signal. @returns once it has ended */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.isEnding = true;
    this.signal(signal);
    await this.process?.ended();
  }

  /** Does harm for a while. @returns once the node is as it was */
  async suffer(kind: Fault['kind'], ms: number, isSilent: boolean): Promise<void> {
    const fault = { node: this.name, kind, begin: now(), end: Number.POSITIVE_INFINITY };
    this.parts.recorder.faults.push(fault);
    if (kind === 'kill' || kind === 'restart') {
      await this.end(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
      await this.start();
    } else if (kind === 'freeze') {
      this.signal('SIGSTOP');
      await wait(ms);
      this.signal('SIGCONT');
    } else await cut(kind === 'cut-database' ? this.parts.database.network : this.parts.store, ms, isSilent);
    fault.end = now();
  }
}

/** @param isSilent bytes do not arrive, and nobody is told; else connections are reset and refused */
async function cut(network: FaultyNetwork, ms: number, isSilent: boolean): Promise<void> {
  const directions = [network.toServer, network.toClient];
  if (isSilent) for (const direction of directions) direction.stall();
  else await network.refuse();
  await wait(ms);
  for (const direction of directions) direction.pass();
  await network.accept();
}

/** A site of several nodes with one database and one store, and what is needed to look at them from outside. */
export interface NodesSite {
  nodes: readonly SiteNode[];
  /** The address of HAProxy; null where Debian's package cannot be had: calls go to random nodes then. */
  balancer: string | null;
  database: pg.Client;
  databaseUrl: string;
  storeUrl: string;
  storeSecret: string;
}

export interface SiteOptions {
  store: RealStore;
  recorder: Recorder;
  planted?: readonly string[];
}

export async function startNodesSite(options: SiteOptions, atEnd: AtEnd): Promise<NodesSite> {
  const { store, recorder, planted = [] } = options;
  const { DATABASE_URL: url = '' } = await migratedSite(atEnd);
  const database = await openDatabase(url, atEnd);
  await store.makeBucket(bucket).catch(() => {});
  const place = `${bucket}/${new URL(url).pathname.slice(1)}`;
  const library = temporaryFolder(atEnd);
  putVideos(library, 'a.mp4', 'b.mp4', 'c.mp4');
  const storePort = await findFreePort();
  const shared = {
    LIBRARY_DIRS: library,
    STORAGE_URL: store.url(place).replace(store.host, `store:${storePort}`),
    STORAGE_SECRET: store.secret,
    DERIVED_GB: '1',
    FFMPEG_PATH: '/none',
    TRUST_PROXY: 'on',
    DRAIN_SECONDS: '1',
  };
  const nodes = await Promise.all(
    names.map(async (name, at) => {
      const host = `127.0.0.${11 + at}`;
      const way = await startNetwork(() => FaultyNetwork.start(targetOf(url)), atEnd);
      const toStore = () => FaultyNetwork.start(`http://${store.host}`, { host, port: storePort });
      return new SiteNode({
        name,
        recorder,
        planted,
        env: {
          ...shared,
          PORT: String(await findFreePort()),
          DATA_DIR: temporaryFolder(atEnd),
          STORE_ADDRESS: host,
        },
        database: { network: way, url: throughNetwork(url, way) },
        store: await startNetwork(toStore, atEnd),
      });
    }),
  );
  await nodes[0]?.start();
  await Promise.all(nodes.slice(1).map((node) => node.start()));
  const balancer = hasHaproxy ? await startBalancer('haproxy', portsOf(nodes), atEnd) : null;
  return { nodes, balancer, database, databaseUrl: url, storeUrl: store.url(place), storeSecret: store.secret };
}

function portsOf(nodes: readonly SiteNode[]): Record<string, number> {
  return Object.fromEntries(nodes.map(({ name, address }) => [name, Number(new URL(address).port)]));
}

async function startNetwork(start: () => Promise<FaultyNetwork>, atEnd: AtEnd): Promise<FaultyNetwork> {
  const network = await start();
  atEnd(() => network.close());
  return network;
}

function targetOf(url: string): string | number {
  const { searchParams, port } = new URL(url);
  const folder = searchParams.get('host');
  return folder === null ? Number(port || 5_432) : `${folder}/.s.PGSQL.5432`;
}

function throughNetwork(url: string, network: FaultyNetwork): string {
  const target = new URL(url);
  target.searchParams.delete('host');
  target.host = new URL(network.address).host;
  return target.href;
}

/** Records in the database which process does what, in the transactions in which it does so. */
const triggers = `
  create table history_events (number bigserial primary key, at double precision not null, kind text not null,
    process text not null, subject text not null);
  create function history_row() returns trigger language plpgsql as $$ begin
    insert into history_events (at, kind, process, subject) values (extract(epoch from clock_timestamp()) * 1000,
      tg_argv[0], current_setting('application_name'), to_jsonb(new) ->> tg_argv[1]);
    return null; end $$;
  create function history_act() returns trigger language plpgsql as $$ begin
    insert into history_events (at, kind, process, subject) values (extract(epoch from clock_timestamp()) * 1000,
      'act', current_setting('application_name'), tg_argv[0]);
    return null; end $$;
  create trigger history_grants after insert or update on leases for each row
    execute function history_row('grant', 'name');
  create trigger history_jobs after update of state on jobs for each row
    when (new.state in ('done', 'failed', 'cancelled')) execute function history_row('job-end', 'id');
  create trigger history_sweeps after delete on known_devices for each statement execute function history_act('sweeps');
  create trigger history_snapshots after delete on set_changes for each statement
    execute function history_act('sets-keeper');
`;

async function openDatabase(url: string, atEnd: AtEnd): Promise<pg.Client> {
  const client = new pg.Client(url);
  // Dropping the database at the end may end this connection.
  client.on('error', () => {});
  await client.connect();
  atEnd(() => client.end());
  await client.query(triggers);
  return client;
}
