import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { serveCommand } from '#tests/support/serve-command.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const startLimitMs = 180_000;
/** The product promises to stop within 10 s. */
const stopLimitMs = 15_000;
const linesKept = 200;

/** The real server as a process; it can be ended in any way, and started again. */
export interface ProductProcess {
  readonly pid: number;
  isRunning(): boolean;
  /** What it said in plain words since its last start, which is not its log. */
  said(): string;
  /**
   * @param more variables of this start alone
   * @returns once the library was looked through
   */
  start(more?: NodeJS.ProcessEnv): Promise<void>;
  /** @returns the exit code; null when a signal ended it */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** @param onLogLine hears each line of JSON */
export function createProductProcess(
  environment: NodeJS.ProcessEnv,
  onLogLine: (line: string) => void,
): ProductProcess {
  let child: ChildProcess | null = null;
  let said: string[] = [];
  const env = { ...environment, PATH: `${dirname(process.execPath)}:${environment.PATH}` };

  function hear(line: string): void {
    if (line.startsWith('{')) onLogLine(line);
    else said = [...said, line].slice(-linesKept);
  }

  async function start(more: NodeJS.ProcessEnv = {}): Promise<void> {
    said = [];
    const started = spawn('sh', ['-c', serveCommand()], {
      cwd: project,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = setTimeout(
      () => reject(new Error(`the product was not ready after ${startLimitMs} ms:\n${said.join('\n')}`)),
      startLimitMs,
    );
    started.once('exit', (code) => reject(new Error(`the product ended with code ${code}:\n${said.join('\n')}`)));
    for (const stream of [started.stdout, started.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        hear(line);
        if (line.includes('Looked through')) resolve();
      });
    }
    await promise.finally(() => clearTimeout(late));
  }

  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;
  return {
    get pid() {
      return child?.pid ?? 0;
    },
    isRunning,
    said: () => said.join('\n'),
    start,
    async end(signal) {
      if (child === null || !isRunning()) return child?.exitCode ?? null;
      const ended = once(child, 'exit');
      child.kill(signal);
      const late = setTimeout(() => child?.kill('SIGKILL'), stopLimitMs);
      await ended;
      clearTimeout(late);
      return child.exitCode;
    },
  };
}
