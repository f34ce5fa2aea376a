import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from './free-port.ts';

/** Where a product is reached, for those who do not stop it. */
export interface Site {
  readonly address: string;
  /** Where it keeps its database. */
  readonly dataDir: string;
  /** For the first account, as its terminal shows it; null when there is one. */
  readonly setupCode: string | null;
}

/** The built product as a newcomer runs it: its own process, port and data folder. */
export interface Product extends Site {
  /** Stops the server; the data stays, so that `start` goes on where it was, at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server at once, as a crash does: `start` goes on with what it has left. */
  kill(): Promise<void>;
  /** Stops the server and removes its data. */
  dispose(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

export interface ProductOptions {
  /** Absent: the demo library. */
  readonly libraryDirs?: readonly string[];
  /** What the operator sets; some of it names the address that the product gets. */
  readonly environment?: Environment | ((address: string) => Promise<Environment>);
  /** The program to run instead of the server's own entry, relative to the project. */
  readonly entry?: string;
  /** A copy of the project that runs in its place, with its own build. */
  readonly folder?: string;
}

const project = fileURLToPath(new URL('../../', import.meta.url));
const startLimitMs = 300_000;
/** The product promises a stop within 10 s. */
const stopLimitMs = 12_000;
const linesKept = 10;
/**
 * Posters are proven by the server's tests. Here they would take the time of the videos that a journey or a bench
 * watches.
 */
const noFfmpeg = '/none';

/** Starts the product and resolves when it is ready and its first scan is complete. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const port = await findFreePort();
  const dataDir = await mkdtemp(join(tmpdir(), 'fourfold-product-'));
  const address = `http://127.0.0.1:${port}`;
  const environment = await environmentOf(options, address);
  let server: ChildProcess | null = null;
  let setupCode: string | null = null;

  const start = async () => {
    server = spawn(process.execPath, [options.entry ?? 'src/server/main.ts'], {
      cwd: options.folder ?? project,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environment, PORT: String(port), HOST: '127.0.0.1', DATA_DIR: dataDir },
    });
    const said = await becomeReady(server, address);
    setupCode = /\?setup=([B-Z]{4}-[B-Z]{4})/.exec(said.join(''))?.[1] ?? null;
  };
  const stop = async () => {
    if (server !== null) await end(server);
    server = null;
  };
  const kill = async () => {
    if (server === null) return;
    const ended = once(server, 'close');
    server.kill('SIGKILL');
    await ended;
    server = null;
  };
  const dispose = async () => {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  };

  try {
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    address,
    dataDir,
    get setupCode() {
      return setupCode;
    },
    start,
    stop,
    kill,
    dispose,
  };
}

/** What the machine's owner has configured must not reach the product under test. */
async function environmentOf(
  { libraryDirs, environment }: ProductOptions,
  address: string,
): Promise<NodeJS.ProcessEnv> {
  const { PATH, HOME, LANG, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const library = libraryDirs === undefined ? {} : { LIBRARY_DIRS: libraryDirs.join(':') };
  const set = typeof environment === 'function' ? await environment(address) : environment;
  return {
    PATH,
    HOME,
    LANG,
    TMPDIR,
    NODE_COMPILE_CACHE,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    OVERLOAD: 'endure',
    FFMPEG_PATH: noFfmpeg,
    ...library,
    ...set,
  };
}

/** @returns the last lines that it said */
async function becomeReady(server: ChildProcess, address: string): Promise<string[]> {
  const said = collectLines(server);
  const end = performance.now() + startLimitMs;
  while (!(await isReady(address))) {
    if (server.exitCode !== null) throw new Error(`the product ended with code ${server.exitCode}:\n${said.join('')}`);
    if (performance.now() > end)
      throw new Error(`the product was not ready after ${startLimitMs} ms:\n${said.join('')}`);
    await delay(50);
  }
  return said;
}

async function isReady(address: string): Promise<boolean> {
  try {
    if (!(await fetch(`${address}/readyz`)).ok) return false;
    const answer = await fetch(`${address}/api/status`);
    const isGateClosed = answer.status === 401;
    const status = (await answer.json()) as { ScanningStatus?: { InitialScanComplete: boolean } };
    return isGateClosed || status.ScanningStatus?.InitialScanComplete === true;
  } catch {
    return false;
  }
}

function collectLines(server: ChildProcess): string[] {
  const said: string[] = [];
  const keep = (chunk: Buffer) => {
    said.push(chunk.toString());
    if (said.length > linesKept) said.shift();
  };
  server.stdout?.on('data', keep);
  server.stderr?.on('data', keep);
  return said;
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'close');
  server.kill('SIGTERM');
  const late = setTimeout(() => server.kill('SIGKILL'), stopLimitMs);
  await ended;
  clearTimeout(late);
  if (server.signalCode === 'SIGKILL') throw new Error(`the product did not stop within ${stopLimitMs} ms`);
}
