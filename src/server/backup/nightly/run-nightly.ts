import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { NightlyOrder, NightlyReport } from './nightly-order.ts';
import { nightlyReportSchema } from './nightly-order.ts';

const program = fileURLToPath(new URL('nightly-process.ts', import.meta.url));

/** Has a process of its own make a backup. It ends with this one, and when the signal aborts. */
export async function runNightly(order: NightlyOrder, signal: AbortSignal): Promise<NightlyReport> {
  const { promise, resolve } = Promise.withResolvers<NightlyReport>();
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const kill = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  child
    .once('error', (error) => resolve({ kind: 'failed', message: `It could not be begun: ${error.message}` }))
    .once('exit', () => resolve({ kind: 'failed', message: 'The process that made it ended before it was done.' }))
    .on('message', (message) => resolve(nightlyReportSchema.parse(message)));
  child.send(order, () => {});
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}
