import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { migratedSite } from '#tests/support/database/test-database.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** The real server in a process of its own. */
export interface ServerProcess {
  /** Waits until the terminal says what is looked for. @returns all that was said */
  says(what: RegExp): Promise<string>;
  /** Once it listens. */
  address(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; null when a signal ended it. */
  ended(): Promise<number | null>;
}

/** Of a server with this library, and a data folder and a database of its own. */
export async function environmentWith(library: string, more: Record<string, string> = {}) {
  return { ...(await migratedSite()), LIBRARY_DIRS: library, ...more };
}

/** An answer that begins and is then read no further. */
export async function startReading(url: string, agent = new Agent()): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { agent }, resolve).on('error', reject);
  const answer = await promise;
  answer.pause();
  return answer;
}

interface ProcessOptions {
  /** In which it runs, and looks for a `.env`. */
  folder?: string;
  /** How many descriptors it may have; without: as many as this process. */
  openFiles?: number;
  /** The folder of another version of this project, whose server it is. */
  version?: string;
  /** Where this server alone sees an empty folder, as where a disk is not mounted. */
  hiddenFolder?: string;
}

export function runServer(
  env: Record<string, string | undefined>,
  { version = project, folder = version, openFiles, hiddenFolder }: ProcessOptions = {},
): ServerProcess {
  const [command, ...args] = [
    ...(openFiles === undefined ? [] : ['/bin/sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh']),
    ...(hiddenFolder === undefined ? [] : ['unshare', '--mount', '--map-root-user']),
    ...(hiddenFolder === undefined ? [] : ['/bin/sh', '-c', 'mount -t tmpfs none "$0" && exec "$@"', hiddenFolder]),
    process.execPath,
    join(version, 'src/server/main.ts'),
  ];
  const child = spawn(command ?? '', args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOST: '127.0.0.1',
      PORT: '0',
      OVERLOAD: 'endure',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const says = listener(child, exit);
  return {
    says,
    address: async () => /http:\/\/[\d.:]+/.exec(await says(/http:\/\/127\.0\.0\.1:\d+\D/))?.[0] ?? '',
    kill: (signal) => child.kill(signal),
    ended: async () => (await exit)[0],
  };
}

function listener(child: ChildProcess, exit: Promise<unknown>): ServerProcess['says'] {
  let said = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      for (const look of waiting) look();
    });
  }
  return (what) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const look = () => what.test(said) && resolve(said);
    waiting.add(look);
    look();
    exit.then(() => reject(new Error(`The server ended without saying ${what}: ${said}`)));
    return promise.finally(() => waiting.delete(look));
  };
}
