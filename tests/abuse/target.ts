import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '#tests/support/free-port.ts';
import { putHugeVideo } from '#tests/support/huge-video.ts';
import type { RunningPostgres } from '#tests/support/postgres.ts';
import { inNewSchema, runOn } from '#tests/support/postgres-schema.ts';
import { putVideos } from '#tests/support/videos.ts';
import type { DatabaseKind, Finding, Setting } from './attack.ts';
import type { Client } from './client.ts';
import { createClient, fieldsOf } from './client.ts';
import { createFindings } from './findings.ts';
import type { Inspector } from './inspect.ts';
import { createInspector } from './inspect.ts';
import type { ProductProcess } from './product-process.ts';
import { createProductProcess } from './product-process.ts';
import { environments, sitePassword } from './settings.ts';

/** Somebody with an account, who is signed in. */
export interface Member {
  id: string;
  username: string;
  email: string;
  password: string;
  client: Client;
}

/** A started product, as an attacker finds it. */
export interface Target {
  readonly database: DatabaseKind;
  readonly setting: Setting;
  readonly address: string;
  readonly port: number;
  readonly dataFolder: string;
  /** Its one library folder: twelve small videos, and `huge.mp4` of 200 MiB. */
  readonly library: string;
  /** The server of its database, and its own schema there; null with SQLite. */
  readonly postgres: RunningPostgres | null;
  readonly databaseUrl: string | null;
  readonly process: ProductProcess;
  readonly inspector: Inspector;
  /** Somebody from an address that nobody has used before: outside of the gate where it is closed. Behind a proxy the address is a public one. */
  stranger(headers?: Record<string, string>): Client;
  /** The same, with the site's password shown. */
  visitor(headers?: Record<string, string>): Promise<Client>;
  /** A new account; the first one is the administrator's. */
  member(): Promise<Member>;
  /** The administrator, who is made when first asked for. */
  admin(): Promise<Member>;
  /** The set-up code that the terminal shows at the moment. */
  setupCode(): string;
  /** What was seen in answers and in the log since the last time. */
  takeObserved(): Finding[];
  /** Closes all connections of its clients. */
  release(): void;
  /** Ends the product and removes what it has kept. */
  dispose(): Promise<void>;
}

/** Makes a library and a database, and starts the product on them. */
export async function startTarget(database: DatabaseKind, setting: Setting, postgres: RunningPostgres | null): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-abuse-'));
  const library = join(folder, 'library');
  const dataFolder = join(folder, 'data');
  putVideos(library, ...Array.from({ length: 12 }, (_, index) => `video-${index}.mp4`));
  putHugeVideo(library, 'huge.mp4');
  const port = await findFreePort();
  const schema = postgres === null ? null : await inNewSchema(postgres.url);

  let findings = createFindings();
  const inspector = createInspector({ expect: (...seen) => findings.expect(...seen), list: () => findings.list() }, [folder]);
  inspector.keepSecret(sitePassword);
  const product = createProductProcess(
    {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, NODE_ENV: 'production' },
      ...{ HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataFolder, LIBRARY_DIRS: library, FFMPEG_PATH: '/none', LOG_LEVEL: 'info' },
      ...(schema === null ? {} : { DATABASE_URL: schema.url }),
      ...environments[setting],
    },
    inspector.logLine,
  );
  const dispose = async () => {
    await product.end('SIGKILL');
    if (postgres !== null && schema !== null) await runOn(postgres.url, `drop schema if exists ${schema.name} cascade`);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await product.start();
  } catch (error) {
    await dispose();
    throw error;
  }

  const address = `${setting === 'secure' ? 'https' : 'http'}://127.0.0.1:${port}`;
  const takeObserved = () => {
    const observed = findings.list();
    findings = createFindings();
    return observed;
  };
  const parts = {
    database,
    setting,
    address,
    port,
    dataFolder,
    library,
    postgres,
    databaseUrl: schema?.url ?? null,
    process: product,
    inspector,
    takeObserved,
    dispose,
  };
  return { ...parts, ...createPeople(parts) };
}

type Parts = Pick<Target, 'setting' | 'address' | 'process' | 'inspector'>;

function createPeople({
  setting,
  address,
  process: product,
  inspector,
}: Parts): Pick<Target, 'stranger' | 'visitor' | 'member' | 'admin' | 'setupCode' | 'release'> {
  const clients = new Set<Client>();
  let people = 0;
  let admin: Promise<Member> | null = null;

  function stranger(headers: Record<string, string> = {}): Client {
    people += 1;
    const [high, low] = [people >> 8, people & 255];
    // Documentation addresses (RFC 5737) are too few; 100.64.0.0/10 is nobody's in public.
    const forwarded: Record<string, string> = setting === 'proxied' ? { 'x-forwarded-for': `100.64.${high}.${low}` } : {};
    const client = createClient({ address, from: `127.1.${high}.${low}`, headers: { ...forwarded, ...headers }, inspect: inspector.answer });
    clients.add(client);
    return client;
  }

  async function visitor(headers: Record<string, string> = {}): Promise<Client> {
    if (setting !== 'proxied') return stranger(headers);
    const entry = await stranger().post('/api/password-auth', { password: sitePassword });
    const cookies = (entry.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
    if (cookies === '') throw new Error(`The site password was refused with ${entry.status}.`);
    return stranger({ cookie: cookies, ...headers });
  }

  const setupCode = () =>
    product
      .said()
      .match(/\b[B-Z]{4}-[B-Z]{4}\b/g)
      ?.at(-1) ?? '';

  async function register(): Promise<Member> {
    const client = await visitor();
    const username = `swimmer-${people}`;
    const email = `${username}@example.com`;
    const password = `across the ${people} bays by night`;
    inspector.keepSecret(password);
    const code = setupCode();
    const reply = await client.post('/auth/register', { username, email, password, ...(admin === null || code === '' ? {} : { setup_code: code }) });
    const { access_token, user } = fieldsOf(reply);
    const token = String(access_token);
    if (reply.status !== 201) throw new Error(`Registration was answered with ${reply.status}: ${reply.body}`);
    inspector.keepSecret(token);
    return { id: String((user as { id?: unknown }).id), username, email, password, client: await visitor({ authorization: `Bearer ${token}` }) };
  }

  const findAdmin = () => {
    admin ??= register();
    return admin;
  };
  return {
    stranger,
    visitor,
    setupCode,
    admin: findAdmin,
    async member() {
      await findAdmin();
      return register();
    },
    release() {
      for (const client of clients) client.close();
      clients.clear();
    },
  };
}
