import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages } from '../debian-packages.ts';
import { findFreePort } from '../free-port.ts';
import type { AtEnd } from '../temporary-folder.ts';

/**
 * A PgBouncer that gives each transaction any of few connections, in front of a database. It goes at the end.
 * @param url of the database
 * @returns the same database, through it
 */
export async function startPooler(url: string, connections: number, atEnd: AtEnd): Promise<string> {
  await ensurePackages(['pgbouncer']);
  const database = new URL(url);
  const [name, port] = [database.pathname.slice(1), await findFreePort()];
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-pooler-'));
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: connections,
    max_client_conn: 100,
    server_reset_query: 'discard all',
    server_reset_query_always: 1,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
  const host = database.searchParams.get('host') ?? database.hostname;
  const target = `${name} = host=${host} dbname=${name} user=${database.username}`;
  writeFileSync(join(folder, 'pooler.ini'), `[databases]\n${target}\n[pgbouncer]\n${lines.join('\n')}\n`);
  // It refuses to run as root, and has to reach a socket of PostgreSQL that root owns.
  const asNobody = process.getuid?.() === 0 ? ['unshare', '--map-user=65534', '--map-group=65534'] : [];
  const [command = '', ...rest] = [...asNobody, '/usr/sbin/pgbouncer', join(folder, 'pooler.ini')];
  const pooler = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  atEnd(async () => {
    await end(pooler);
    rmSync(folder, { recursive: true, force: true });
  });
  await untilListening(pooler);
  return `postgres://${database.username}@127.0.0.1:${port}/${name}?application_name=${name}`;
}

async function untilListening(pooler: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = '';
  pooler.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4_000);
    if (said.includes('process up')) resolve();
  });
  pooler.once('error', reject).once('exit', () => reject(new Error(`PgBouncer ended: ${said}`)));
  await promise;
}

async function end(pooler: ChildProcess): Promise<void> {
  if (pooler.exitCode !== null) return;
  const ended = once(pooler, 'exit');
  pooler.kill('SIGKILL');
  await ended;
}
