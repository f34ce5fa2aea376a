import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { readSecrets } from '#server/secrets.ts';
import type { Client } from '#tests/abuse/client.ts';
import { createClient } from '#tests/abuse/client.ts';
import { createDatabase } from '#tests/support/database/postgres-database.ts';
import { smallVideo } from '#tests/support/media/videos.ts';
import { engineOptions } from '#tests/support/serve-command.ts';

export interface SiteServer {
  address: string;
  pid: number;
}

/** Servers of one site in processes of their own, a library and an administrator. */
export interface SiteOfServers {
  servers: SiteServer[];
  /** Where the videos are, as calls name them. */
  videos: string[];
  keeper: Client;
  stop(): Promise<void>;
}

interface ServerOptions {
  /** How many. */
  servers: number;
  videos: number;
  env?: Record<string, string>;
}

const main = fileURLToPath(new URL('../../../src/server/main.ts', import.meta.url));
const person = { username: 'keeper', password: 'north pier at dawn' };

/** @param postgres the address of a server of PostgreSQL, in which the site has a database of its own */
export async function startServers(
  postgres: string,
  { servers, videos, env = {} }: ServerOptions,
): Promise<SiteOfServers> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-site-'));
  const library = join(folder, 'library');
  await mkdir(library);
  const names = Array.from({ length: videos }, (_, index) => `video-${index}.mp4`);
  for (const name of names) await copyFile(smallVideo(), join(library, name));
  const { url } = await createDatabase(postgres);
  const database = openDatabase({ kind: 'postgres', url });
  await migrate(database, systemClock);
  const site = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: url,
    LIBRARY_DIRS: library,
    TRUST_PROXY: 'on',
    ...env,
  };
  const running: { child: ChildProcess; server: SiteServer }[] = [];
  for (let index = 0; index < servers; index += 1) {
    const child = spawn(process.execPath, [...engineOptions(), main], {
      env: { PATH: process.env.PATH, MALLOC_ARENA_MAX: '2', ...site },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const said = await waitFor(child, index === 0 ? /Looked through/ : /http:\/\/127/);
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    running.push({ child, server: { address, pid: child.pid ?? 0 } });
  }
  const [code] = await readSecrets(database.reader, 'setup_code');
  await database.close();
  const keeper = await register(running[0]?.server.address ?? '', code?.value ?? '');
  return {
    servers: running.map(({ server }) => server),
    videos: names,
    keeper,
    async stop() {
      keeper.close();
      for (const { child } of running) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @returns all that it said, once it says what is looked for */
async function waitFor(child: ChildProcess, what: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (what.test(said)) resolve(said);
  });
  child.once('exit', () => reject(new Error(`The server ended without saying ${what}: ${said}`)));
  return promise;
}

/** Makes the first account, with the code that the terminal of the server shows. */
async function register(address: string, code: string): Promise<Client> {
  const stranger = createClient({ address, from: '127.0.2.1', headers: {}, inspect: () => {} });
  const wish = { ...person, email: 'keeper@example.com', setup_code: code };
  const { status, body } = await stranger.post('/auth/register', wish);
  stranger.close();
  if (status !== 201) throw new Error(`The first account was answered with ${status}: ${body}`);
  const headers = { authorization: `Bearer ${JSON.parse(body).access_token}` };
  return createClient({ address, from: '127.0.2.1', headers, inspect: () => {} });
}

/** Somebody at one of the servers, with the rights of a client of another one. */
export function clientAt({ address }: SiteServer, headers: Record<string, string> = {}): Client {
  return createClient({ address, from: '127.0.0.1', headers, inspect: () => {} });
}

/** @returns the access token of a new session of the administrator */
export async function signIn(client: Client): Promise<string> {
  const wish = { identifier: person.username, password: person.password };
  const { status, body } = await client.post('/auth/login', wish);
  if (status !== 200) throw new Error(`The sign-in was answered with ${status}: ${body}`);
  return JSON.parse(body).access_token;
}
