import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PickSeen } from './picks-process.ts';

const program = fileURLToPath(new URL('picks-process.ts', import.meta.url));

/** Picks that go on beside whatever else is done. */
export interface Picks {
  /** What came of all since the last time. */
  take(): PickSeen[];
  /** Waits until so many more have been answered. */
  until(count: number): Promise<void>;
  stop(): Promise<void>;
}

export function startPicks(address: string, headers: Record<string, string>): Picks {
  const child = fork(program, [address, JSON.stringify(headers)]);
  let seen: PickSeen[] = [];
  child.on('message', (message) => seen.push(message as PickSeen));
  return {
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
    async until(count) {
      for (const end = seen.length + count; seen.length < end && child.exitCode === null; )
        await once(child, 'message');
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
