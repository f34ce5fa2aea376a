import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { compileCacheEnv } from '../../folders.ts';
import type { LaunchOrder } from './launcher.ts';

const launcher = fileURLToPath(new URL('./launcher.ts', import.meta.url));

/** The launcher sets those itself that its order names: they would bind Node, too. */
const unlimited = {
  processorSeconds: 'unlimited',
  memory: 'unlimited',
  files: 'unlimited',
  processes: 'unlimited',
} as const;

/** Beyond the pause between two posters of a scan. */
const spareMs = 5_000;

/**
 * One launcher that waits for its order, as long as programs are run one after the other: to start Node takes longer
 * than to find a picture.
 */
let spare: { process: ChildProcess; expiry: NodeJS.Timeout } | null = null;

/**
 * Makes a launcher become a program.
 * @param input a descriptor of this process
 * @throws NotStarted
 */
export async function launch(order: Omit<LaunchOrder, 'input'>, input: number | undefined): Promise<ChildProcess> {
  const found = input === undefined ? null : `/proc/${process.pid}/fd/${input}`;
  const ready = takeSpare();
  const isReady = ready !== null && (await tell(ready, { ...order, input: found }));
  const child = isReady ? ready : await startLauncher(input ?? 'ignore');
  void keepSpare();
  // One that is gone again is told by its end.
  if (!isReady) await tell(child, { ...order, input: input === undefined ? null : 'inherited' });
  return child;
}

/** @returns whether it was there to hear it */
function tell({ stdin }: ChildProcess, order: LaunchOrder): Promise<boolean> {
  return new Promise((resolve) => {
    stdin?.once('finish', () => resolve(true)).on('error', () => resolve(false));
    stdin?.end(JSON.stringify(order));
  });
}

function takeSpare(): ChildProcess | null {
  if (spare === null) return null;
  const { process: child, expiry } = spare;
  clearTimeout(expiry);
  spare = null;
  if (child.exitCode !== null || child.signalCode !== null) {
    end(child);
    return null;
  }
  setHolding(child, true);
  return child;
}

/** What cannot be started now is started when it is needed. */
async function keepSpare(): Promise<void> {
  if (!areDescriptorsReachable()) return;
  const child = await startLauncher('ignore').catch(() => null);
  if (child === null) return;
  if (spare !== null) {
    end(child);
    return;
  }
  setHolding(child, false);
  const expiry = setTimeout(() => {
    spare = null;
    end(child);
  }, spareMs);
  expiry.unref();
  spare = { process: child, expiry };
}

function end(child: ChildProcess): void {
  killGroup(child);
  for (const stream of child.stdio) stream?.destroy();
}

const startLauncher = (input: number | 'ignore') =>
  startWatched([process.execPath, launcher], unlimited, {
    stdin: 'pipe',
    input,
    // The launcher's own: what it becomes has none.
    env: compileCacheEnv(),
  });

/** Whether this process stays for it. */
function setHolding(child: ChildProcess, holds: boolean): void {
  const streams = child.stdio.filter((stream) => stream !== null) as Socket[];
  for (const held of [child, ...streams]) holds ? held.ref() : held.unref();
}

/** A process with more rights than its user has shows nothing of itself to others of that user: proc(5). */
function areDescriptorsReachable(): boolean {
  return statSync('/proc/self/fd', { throwIfNoEntry: false })?.uid === process.geteuid?.();
}

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
