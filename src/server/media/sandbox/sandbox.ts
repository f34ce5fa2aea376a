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
export interface SandboxedCall extends Omit<ConfinedProgram, 'hasInput'> {
  confinement: Confinement;
  limits: SandboxLimits;
  /** A file that the program reads as `sandboxedInput`. */
  input?: number;
  signal?: AbortSignal;
  /** Gets what it writes to its standard output, as it comes; it is not kept then. */
  onOutput?: (chunk: Buffer) => void;
  pause?: Pause;
}

/**
 * The name under which a program finds its input: the very file that was opened and checked, whatever happens to its
 * name meanwhile, and however it is called: no name of a file ever stands among the arguments.
 */
export const sandboxedInput = '/dev/fd/4';

const keptOfErrors = 64 * 1024;
const maxOfErrors = 4 * 1024 * 1024;
/** Processes and threads that a program may have beyond all that run on this machine when it starts. */
const furtherProcesses = 1_024;
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

/** Address space is more than memory in use, and kept by Linux alone. */
function shellLimits({ processorSeconds, memoryMegabytes, fileBytes = 0 }: SandboxLimits): ShellLimits {
  return {
    processorSeconds: Math.ceil(processorSeconds),
    memory: process.platform === 'linux' ? memoryMegabytes * 1024 : 'unlimited',
    files: Math.ceil(fileBytes / blockBytes),
    processes: processLimit(),
  };
}

/**
 * Linux counts processes and threads by their user, who may be this server's own: what runs already is added. proc(5),
 * /proc/loadavg
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
  /** Bytes that are kept. */
  kept: number;
  /** Bytes beyond which the program is not listened to any more. */
  max: number;
  onTooMuch: () => void;
}

/** What a stream begins with. */
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

/** What a stream begins and ends with, half of `kept` each: complaints about a file come first, and reasons last. */
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

/** Hands a stream on as it comes. */
function passOn(stream: Readable | null, max: number, onOutput: (chunk: Buffer) => void, onTooMuch: () => void) {
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > max) onTooMuch();
    else onOutput(chunk);
  });
  stream?.on('error', () => {});
}
