import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** The system had no descriptors or processes left: nothing has run, and trying again later may help. */
export class NotStarted extends Error {}

/** As `ulimit` takes them: seconds of processor time, kibibytes of address space, blocks of each file, processes. */
export interface ShellLimits {
  processorSeconds: number | 'unlimited';
  memory: number | 'unlimited';
  files: number | 'unlimited';
  processes: number | 'unlimited';
}

/**
 * Constant text; what varies comes as positional parameters, which a shell does not interpret. It is there for two
 * things that Node has no call for: limits that the kernel keeps, and a watch over the end of a pipe that the server
 * holds. When the server dies, even by SIGKILL, the pipe ends and the whole process group with it.
 *
 * Shells have two names for the limit on processes. Where it cannot be set, a lower one holds already.
 *
 * A process group of its own is a session of its own. Linux shares processors among sessions first, and priorities
 * count within one alone, so the session gets a tenth of the usual weight: with the least, reading a header would
 * reach its limit by the clock on a machine that is busy otherwise. Users other than root may set it for one session
 * in 100 ms. sched(7), 'The autogroup feature'
 */
const wrapper = `set -e
PATH=/usr/bin:/bin
session=/proc/self/autogroup
if [ -w $session ]; then
  { echo 10 >$session || { sleep 0.1; echo 10 >$session; } || :; } 2>/dev/null
fi
ulimit -c 0
[ "$1" = unlimited ] || ulimit -t "$1"
[ "$2" = unlimited ] || ulimit -v "$2"
[ "$3" = unlimited ] || ulimit -f "$3"
[ "$4" = unlimited ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" 2>/dev/null || :
shift 4
{ read -r _ <&3 || :; kill -KILL 0; } >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;

/** The watcher is a copy of the shell that started it, before that one becomes the program. */
export const watcher = ['/bin/sh', '-c', wrapper];

/** Starts a process in a group of its own, which ends with this server. @throws NotStarted */
export async function startWatched(
  command: readonly string[],
  { processorSeconds, memory, files, processes }: ShellLimits,
  options: Pick<SpawnOptions, 'cwd' | 'env'> & { stdin: 'ignore' | 'pipe'; input: number | 'ignore' },
): Promise<ChildProcess> {
  const { stdin, input, ...others } = options;
  try {
    const child = spawn(
      '/bin/sh',
      ['-c', wrapper, 'sh', ...[processorSeconds, memory, files, processes].map(String), ...command],
      {
        ...others,
        detached: true,
        stdio: [stdin, 'pipe', 'pipe', 'pipe', input],
      },
    );
    await once(child, 'spawn');
    return child;
  } catch (error) {
    throw new NotStarted('No process could be started.', { cause: error });
  }
}

/** What the program has started goes with it, also when it ends by itself. */
export async function untilEnded(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // Without descriptors for its pipes there is no child at all, and 'error' follows.
  const watched = (child.stdio as ChildProcess['stdio'] | undefined)?.[3] as Readable | null | undefined;
  watched?.on('error', () => {});
  child.once('exit', () => {
    killGroup(child);
    watched?.destroy();
  });
  return closed;
}

export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
