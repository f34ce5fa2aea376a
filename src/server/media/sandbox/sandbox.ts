import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ConfinedProgram, Confinement, ProgramEnd } from './confinement.ts';
import { confinedCommand, describeEnd } from './confinement.ts';
import type { ShellLimits } from './launch.ts';
import { killGroup, launch, startWatched, untilEnded, watcher } from './launch.ts';
import type { LaunchOrder } from './launcher.ts';
import type { Pause } from './pause.ts';
import { standStill, WallLimit } from './pause.ts';

/** The limits at which a program is killed. */
export interface SandboxLimits {
  /** Wall clock time, without pauses. */
  seconds: number;
  processorSeconds: number;
  memoryMegabytes: number;
  /** Bytes on standard output. */
  outputBytes: number;
  /** Bytes on standard error, of which 64 KiB are kept. */
  errorBytes?: number;
  /** Largest size of each written file. Absent: nothing may be written. */
  fileBytes?: number;
}

/**
 * A call of a program. Its arguments contain no text from a person or a file, only numbers. Its
 * folder is private and empty.
 */
export interface SandboxedCall extends Omit<ConfinedProgram, 'hasInput'> {
  confinement: Confinement;
  limits: SandboxLimits;
  /** Descriptor of a file that the program reads as `sandboxedInput`. */
  input?: number;
  signal?: AbortSignal;
  /** Receives the standard output in chunks, which are then not kept. */
  onOutput?: (chunk: Buffer) => void;
  pause?: Pause;
}

/**
 * The path at which a program finds its input. It refers to the file that was opened and checked,
 * even if that is renamed or replaced meanwhile, and keeps file names out of the arguments.
 */
export const sandboxedInput = '/dev/fd/4';

const keptOfErrors = 64 * 1024;
const maxOfErrors = 4 * 1024 * 1024;
/**
 * Processes and threads that a program may have, in addition to all that run on this machine when
 * it starts.
 */
const furtherProcesses = 1_024;
/** Size of a block of `ulimit -f` (POSIX). */
const blockBytes = 512;

/**
 * Runs a program that its input could take over: confined, without shell interpretation, without an
 * environment, at the lowest priority, in its own process group that is killed as a whole, and
 * within limits.
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

/** @returns a function that ends the limit */
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

/**
 * Starts the program. A process that could not be created has no pipes, so its streams may be used
 * only after this resolves.
 */
function start(call: SandboxedCall): Promise<ChildProcess> {
  const { confinement, input, limits } = call;
  if (confinement.kind === 'landlock') return launch(launchOrder(call), input);
  const command = confinedCommand(confinement, { ...call, hasInput: input !== undefined });
  return startWatched(command, shellLimits(limits), {
    cwd: call.folder,
    env: {},
    stdin: 'ignore',
    input: input ?? 'ignore',
  });
}

function launchOrder({ limits, whenIdle = false, devices = [], ...call }: SandboxedCall): Omit<LaunchOrder, 'input'> {
  const { program, args, executable, folder } = call;
  return {
    ...{ program, args, executable, folder, devices, whenIdle },
    processorSeconds: Math.ceil(limits.processorSeconds),
    memoryBytes: limits.memoryMegabytes * 1024 * 1024,
    fileBytes: limits.fileBytes ?? 0,
    processes: processLimit(),
  };
}

/**
 * The memory limit applies to the address space, which is larger than the memory in use. Only Linux
 * enforces it.
 */
function shellLimits({ processorSeconds, memoryMegabytes, fileBytes = 0 }: SandboxLimits): ShellLimits {
  return {
    processorSeconds: Math.ceil(processorSeconds),
    memory: process.platform === 'linux' ? memoryMegabytes * 1024 : 'unlimited',
    files: Math.ceil(fileBytes / blockBytes),
    processes: processLimit(),
  };
}

/**
 * The limit of processes. Linux counts processes and threads per user, who may be this server's
 * own, so those that already run are added (proc(5), /proc/loadavg).
 */
export function processLimit(): number {
  const [, running] = /^(?:\S+ ){3}\d+\/(\d+) /.exec(readLoad()) ?? [];
  return Number(running ?? 0) + furtherProcesses;
}

function readLoad(): string {
  try {
    return readFileSync('/proc/loadavg', 'utf8');
  } catch {
    return '';
  }
}

interface OutputBounds {
  /** Number of bytes to keep. */
  kept: number;
  /** Number of bytes beyond which `onTooMuch` is called. */
  max: number;
  onTooMuch: () => void;
}

/** Keeps the start of a stream. */
function collectStart(stream: Readable | null, { kept, max, onTooMuch }: OutputBounds): Buffer[] {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (bytes < kept) chunks.push(chunk.subarray(0, kept - bytes));
    bytes += chunk.length;
    if (bytes > max) onTooMuch();
  });
  stream?.on('error', () => {});
  return chunks;
}

/**
 * Keeps the start and the end of a stream, half of `kept` each: ffmpeg writes complaints about the
 * file first, and the reason for a failure last.
 */
function collectEnds(stream: Readable | null, { kept, max, onTooMuch }: OutputBounds): () => string {
  const start = collectStart(stream, { kept: kept / 2, max, onTooMuch });
  let end = Buffer.alloc(0);
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    const late = chunk.subarray(Math.min(chunk.length, Math.max(0, kept / 2 - bytes)));
    bytes += chunk.length;
    if (late.length > 0) end = Buffer.concat([end, late]).subarray(-kept / 2);
  });
  return () => Buffer.concat([...start, end]).toString('utf8');
}

/** Passes a stream's chunks on as they arrive. */
function passOn(stream: Readable | null, max: number, onOutput: (chunk: Buffer) => void, onTooMuch: () => void) {
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > max) onTooMuch();
    else onOutput(chunk);
  });
  stream?.on('error', () => {});
}
