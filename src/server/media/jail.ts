import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** What a program may take before it is killed. */
export interface JailLimits {
  /** By the clock on the wall. */
  seconds: number;
  processorSeconds: number;
  memoryMegabytes: number;
  /** On its standard output. Files it may not write at all. */
  outputBytes: number;
}

export interface JailCall {
  /** Absolute. */
  program: string;
  /** Nothing in them comes from a person or a file but numbers. */
  args: readonly string[];
  /** Private and empty; the program's working folder. */
  folder: string;
  limits: JailLimits;
  /** What keeps it from the network, as `findOffline` gives it; without: it could reach whatever we can. */
  offline?: readonly string[];
  /** A file that the program reads as `jailedInput`. */
  input?: number;
  signal?: AbortSignal;
}

export type JailEnd =
  /** By itself; `said` is the beginning of what it wrote to standard error. It is never shown to anybody. */
  { kind: 'ended'; code: number; output: Buffer; said: string } | { kind: 'crashed' } | { kind: 'limit'; limit: 'time' | 'memory' | 'output' };

/**
 * The name under which a jailed program finds its input: the very file that was opened and looked at, whatever happens to its name meanwhile,
 * and however it is called: no name of a file ever stands among the arguments.
 */
export const jailedInput = '/dev/fd/4';

/**
 * Constant text; what varies comes as positional parameters, which a shell does not interpret. It is there for two things that Node has no
 * call for: limits that the kernel keeps, and a watch over the end of a pipe that the server holds. When the server dies, even by SIGKILL, the
 * pipe ends and the whole process group with it.
 */
const wrapper = `set -e
ulimit -c 0
ulimit -f 0
ulimit -t "$1"
ulimit -v "$2"
shift 2
{ read -r _ <&3 || :; kill -KILL 0; } >/dev/null 2>&1 &
exec 3<&-
PATH=/usr/bin:/bin
exec nice -n 19 "$@"`;

const keptOfErrors = 64 * 1024;
const mostOfErrors = 4 * 1024 * 1024;

/**
 * Runs a program that may be taken over by what it reads: without a shell's interpretation, without an environment, at the lowest priority, in a
 * process group of its own that ends as a whole, and within limits.
 * @throws the signal's reason when it aborts
 */
export async function runJailed(call: JailCall): Promise<JailEnd> {
  call.signal?.throwIfAborted();
  const child = start(call);
  const reached: ('time' | 'output')[] = [];
  const kill = (limit: 'time' | 'output') => {
    reached.push(limit);
    killGroup(child);
  };
  const timer = setTimeout(kill, call.limits.seconds * 1000, 'time');
  const onAbort = () => killGroup(child);
  call.signal?.addEventListener('abort', onAbort);
  const tooMuch = () => kill('output');
  const output = collect(child.stdout, { kept: call.limits.outputBytes, most: call.limits.outputBytes, tooMuch });
  const said = collect(child.stderr, { kept: keptOfErrors, most: mostOfErrors, tooMuch });
  try {
    const [code, signalName] = await untilEnded(child);
    call.signal?.throwIfAborted();
    if (reached[0] !== undefined) return { kind: 'limit', limit: reached[0] };
    return describeEnd(code, signalName, Buffer.concat(output), Buffer.concat(said).toString('utf8'));
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener('abort', onAbort);
  }
}

function start({ program, args, folder, limits, input, offline = [] }: JailCall): ChildProcess {
  const numbers = [Math.ceil(limits.processorSeconds), memoryLimit(limits)].map(String);
  const child = spawn('/bin/sh', ['-c', wrapper, 'sh', ...numbers, ...offline, program, ...args], {
    cwd: folder,
    env: {},
    detached: true,
    stdio: input === undefined ? ['ignore', 'pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'pipe', input],
  });
  return child;
}

/** Kibibytes of address space, which is more than memory in use; only Linux keeps this limit. */
function memoryLimit({ memoryMegabytes }: JailLimits): number | 'unlimited' {
  return process.platform === 'linux' ? memoryMegabytes * 1024 : 'unlimited';
}

interface Bounds {
  kept: number;
  most: number;
  tooMuch: () => void;
}

function collect(stream: Readable | null, { kept, most, tooMuch }: Bounds): Buffer[] {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (bytes < kept) chunks.push(chunk.subarray(0, kept - bytes));
    bytes += chunk.length;
    if (bytes > most) tooMuch();
  });
  stream?.on('error', () => {});
  return chunks;
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

function describeEnd(code: number | null, signal: NodeJS.Signals | null, output: Buffer, said: string): JailEnd {
  // The kernel's own limit on processor time ends with SIGXCPU, or with SIGKILL where both of its bounds are one.
  if (signal === 'SIGXCPU' || signal === 'SIGKILL') return { kind: 'limit', limit: 'time' };
  if (signal === 'SIGXFSZ') return { kind: 'limit', limit: 'output' };
  if (signal !== null || code === null) return { kind: 'crashed' };
  if (code !== 0 && /Cannot allocate memory|failed to map segment|Resource temporarily unavailable|memory exhausted|out of memory/i.test(said)) {
    return { kind: 'limit', limit: 'memory' };
  }
  return { kind: 'ended', code, output, said };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
