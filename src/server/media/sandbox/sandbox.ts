import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { compileCacheEnv } from '../compile-cache.ts';
import { collectEnds, collectStart, passOn } from './collect-output.ts';
import { confinedCommand } from './confined-command.ts';
import type { ConfinedProgram, Confinement } from './confinement.ts';
import type { Pause } from './pause.ts';
import type { ProgramEnd } from './program-end.ts';
import { describeEnd } from './program-end.ts';
import { standStill } from './stand-still.ts';
import { WallLimit } from './wall-limit.ts';

/** What a program may take before it is killed. */
export interface SandboxLimits {
  /** By the clock on the wall, while it is not paused. */
  seconds: number;
  processorSeconds: number;
  memoryMegabytes: number;
  /** On its standard output. */
  outputBytes: number;
  /** On its standard error, of which 64 KiB are kept. */
  errorBytes?: number;
  /** No file may grow beyond it. Nothing may be written where it is not given. */
  fileBytes?: number;
}

/** The arguments hold nothing from a person or a file but numbers. The folder is private and empty. */
export interface SandboxedCall extends Omit<ConfinedProgram, 'hasInput' | 'memoryMegabytes' | 'fileBytes'> {
  confinement: Confinement;
  limits: SandboxLimits;
  /** A file that the program reads as `sandboxedInput`. */
  input?: number;
  signal?: AbortSignal;
  /** Gets what it writes to its standard output, as it comes; it is not kept then. */
  onOutput?: (chunk: Buffer) => void;
  pause?: Pause;
}

/** The system had no descriptors or processes left: nothing has run, and trying again later may help. */
export class NotStarted extends Error {}

/**
 * The name under which a program finds its input: the very file that was opened and checked, whatever happens to its
 * name meanwhile, and however it is called: no name of a file ever stands among the arguments.
 */
export const sandboxedInput = '/dev/fd/4';

/**
 * Constant text; what varies comes as positional parameters, which a shell does not interpret. It is there for two
 * things that Node has no call for: limits that the kernel keeps, and a watch over the end of a pipe that the server
 * holds. When the server dies, even by SIGKILL, the pipe ends and the whole process group with it.
 */
const wrapper = `set -e
ulimit -c 0
ulimit -t "$1"
[ "$2" = unlimited ] || ulimit -v "$2"
[ "$3" = unlimited ] || ulimit -f "$3"
shift 3
{ read -r _ <&3 || :; kill -KILL 0; } >/dev/null 2>&1 &
exec 3<&-
PATH=/usr/bin:/bin
exec "$@"`;

/** The watcher is a copy of the shell that started it, before that one becomes the program. */
const watcher = ['/bin/sh', '-c', wrapper];

const keptOfErrors = 64 * 1024;
const maxOfErrors = 4 * 1024 * 1024;
/** Of `ulimit -f`. POSIX. */
const blockBytes = 512;

/**
 * Runs a program that may be taken over by what it reads: confined, without a shell's interpretation, without an
 * environment, at the lowest priority, in a process group of its own that ends as a whole, and within limits.
 * @throws NotStarted
 * @throws the signal's reason when it aborts
 */
export async function runSandboxed(call: SandboxedCall): Promise<ProgramEnd> {
  call.signal?.throwIfAborted();
  const child = await start(call);
  const reached: ('time' | 'output')[] = [];
  const kill = (limit: 'time' | 'output') => {
    reached.push(limit);
    killGroup(child);
  };
  const endClock = watchClock(child, call, () => kill('time'));
  const onAbort = () => killGroup(child);
  call.signal?.addEventListener('abort', onAbort);
  if (call.signal?.aborted) onAbort();
  const { output, readErrors } = listen(child, call, () => kill('output'));
  try {
    const [code, signalName] = await untilEnded(child);
    call.signal?.throwIfAborted();
    if (reached[0] !== undefined) return { kind: 'limit', limit: reached[0] };
    return describeEnd(code, signalName, Buffer.concat(output), readErrors());
  } finally {
    endClock();
    call.signal?.removeEventListener('abort', onAbort);
  }
}

/** @returns what ends it */
function watchClock({ pid }: ChildProcess, { limits, pause }: SandboxedCall, onReached: () => void): () => void {
  const clock = new WallLimit(limits.seconds, onReached);
  clock.start();
  const end = pid === undefined || pause === undefined ? () => {} : standStill(pid, watcher, pause, clock);
  return () => {
    end();
    clock.stop();
  };
}

function listen(child: ChildProcess, { limits, onOutput }: SandboxedCall, onTooMuch: () => void) {
  const max = limits.outputBytes;
  if (onOutput !== undefined) passOn(child.stdout, max, onOutput, onTooMuch);
  return {
    output: onOutput === undefined ? collectStart(child.stdout, { kept: max, max, onTooMuch }) : [],
    readErrors: collectEnds(child.stderr, { kept: keptOfErrors, max: limits.errorBytes ?? maxOfErrors, onTooMuch }),
  };
}

/** A process that could not be made has no pipes at all: nothing of it is touched before it says that it is there. */
async function start({ input, limits, confinement, ...program }: SandboxedCall): Promise<ChildProcess> {
  const command = confinedCommand(confinement, {
    ...program,
    hasInput: input !== undefined,
    memoryMegabytes: limits.memoryMegabytes,
    fileBytes: limits.fileBytes ?? 0,
  });
  const { memory, files } = shellLimits(limits, confinement);
  const numbers = [Math.ceil(limits.processorSeconds), memory, files].map(String);
  try {
    const child = spawn('/bin/sh', ['-c', wrapper, 'sh', ...numbers, ...command], {
      cwd: program.folder,
      // The launcher's own: what it becomes has none.
      env: confinement.kind === 'landlock' ? compileCacheEnv() : {},
      detached: true,
      stdio: input === undefined ? ['ignore', 'pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'pipe', input],
    });
    await once(child, 'spawn');
    return child;
  } catch (error) {
    throw new NotStarted('No process could be started.', { cause: error });
  }
}

/**
 * As `ulimit` takes them: kibibytes of address space, which is more than memory in use and kept by Linux alone, and
 * blocks of a file. The launcher sets both itself, where they no longer bind Node.
 */
function shellLimits({ memoryMegabytes, fileBytes = 0 }: SandboxLimits, { kind }: Confinement) {
  if (kind === 'landlock') return { memory: 'unlimited', files: 'unlimited' };
  const memory = process.platform === 'linux' ? memoryMegabytes * 1024 : 'unlimited';
  return { memory, files: Math.ceil(fileBytes / blockBytes) };
}

/** What the program has started goes with it, also when it ends by itself. */
async function untilEnded(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
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

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
