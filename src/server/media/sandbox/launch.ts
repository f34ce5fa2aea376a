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

/** The launcher itself applies the limits of its order, because they would also affect Node. */
const unlimited = {
  processorSeconds: 'unlimited',
  memory: 'unlimited',
  files: 'unlimited',
  processes: 'unlimited',
} as const;

/** Longer than the pause between two posters of a scan. */
const spareMs = 5_000;

/**
 * A launcher that waits for an order while programs are run one after the other, because starting
 * Node takes longer than extracting a frame.
 */
let spare: { process: ChildProcess; expiry: NodeJS.Timeout } | null = null;

/**
 * Starts a program confined, by replacing a launcher process with it.
 * @param input a descriptor of this process
 * @throws NotStarted
 */
export async function launch(order: Omit<LaunchOrder, 'input'>, input: number | undefined): Promise<ChildProcess> {
  const found = input === undefined ? null : `/proc/${process.pid}/fd/${input}`;
  const ready = takeSpare();
  const isReady = ready !== null && (await tell(ready, { ...order, input: found }));
  const child = isReady ? ready : await startLauncher(input ?? 'ignore');
  void keepSpare();
  // If this launcher has already ended, its exit code reports that.
  if (!isReady) await tell(child, { ...order, input: input === undefined ? null : 'inherited' });
  return child;
}

/** @returns whether the launcher received the order */
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

/** Starts the next spare launcher. If that fails, the next call starts its own. */
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

/**
 * Starts a launcher whose V8 does all of its work on the main thread and collects no garbage. The
 * launcher closes descriptors and limits its memory just before the program replaces it: work on
 * other threads, and a collection that asks for more memory, crash then.
 */
const startLauncher = (input: number | 'ignore') =>
  startWatched([process.execPath, '--single-threaded', '--min-semi-space-size=16', launcher], unlimited, {
    stdin: 'pipe',
    input,
    // The launcher's environment. The program that replaces it gets none.
    env: compileCacheEnv(),
  });

/** Sets whether the child keeps this process alive. */
function setHolding(child: ChildProcess, holds: boolean): void {
  const streams = child.stdio.filter((stream) => stream !== null) as Socket[];
  for (const held of [child, ...streams]) holds ? held.ref() : held.unref();
}

/**
 * False if this process has more rights than its user, as other processes of that user then cannot
 * read its `/proc` entries (proc(5)).
 */
function areDescriptorsReachable(): boolean {
  return statSync('/proc/self/fd', { throwIfNoEntry: false })?.uid === process.geteuid?.();
}

/**
 * The system had no descriptors or processes left. Nothing was run, and a later attempt may
 * succeed.
 */
export class NotStarted extends Error {}

/**
 * Limits in the units of `ulimit`: seconds of processor time, kibibytes of address space, blocks
 * per file, processes.
 */
export interface ShellLimits {
  processorSeconds: number | 'unlimited';
  memory: number | 'unlimited';
  files: number | 'unlimited';
  processes: number | 'unlimited';
}

/**
 * A constant script; all variable values are positional parameters, which the shell does not
 * interpret. It does two things for which Node has no call: it sets limits that the kernel
 * enforces, and it watches a pipe that the server holds. When the server dies, even by SIGKILL, the
 * pipe closes and the script kills the whole process group.
 *
 * Shells have two names for the limit on processes. If it cannot be set, a lower one is in force.
 *
 * The process group is also a session of its own. Linux first divides processor time among
 * sessions, and priorities count only within a session, so the session gets a tenth of the default
 * weight. With the lowest weight, reading a header would reach its time limit on a busy machine.
 * Users other than root may set the weight of one session per 100 ms (sched(7), 'The autogroup
 * feature').
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

/**
 * Arguments of the watcher process: it is a fork of the wrapper's shell, made before that shell
 * becomes the program.
 */
export const watcher = ['/bin/sh', '-c', wrapper];

/**
 * Starts a process in its own process group, which is killed when this server ends. @throws
 * NotStarted
 */
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

/** Waits for the end of a program and then kills all processes that it has started. */
export async function untilEnded(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // A child without descriptors for its pipes has no `stdio`, and an 'error' event follows.
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
    // The group has already ended.
  }
}
