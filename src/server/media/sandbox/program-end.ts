import { constants } from 'node:os';

/**
 * The exit code when nothing has run because the kernel refused to confine it. 126 and 127 say that the program is at
 * fault, as a shell's do.
 */
export const notConfined = 125;

export type ProgramEnd =
  /** By itself; `said` is the beginning of what it wrote to standard error. It is never shown to anybody. */
  | { kind: 'ended'; code: number; output: Buffer; said: string }
  | { kind: 'crashed' }
  | { kind: 'limit'; limit: 'time' | 'memory' | 'output' };

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * What became of a program. One that runs below another (bubblewrap, a shell) is told by a code: 128 and the number of
 * the signal that ended it.
 */
export function describeEnd(code: number | null, signalName: string | null, output: Buffer, said: string): ProgramEnd {
  const signal = signalName ?? signalNames.get((code ?? 0) - 128) ?? null;
  // The kernel's own limit on processor time ends with SIGXCPU, or with SIGKILL where both of its bounds are one.
  if (signal === 'SIGXCPU' || signal === 'SIGKILL') return { kind: 'limit', limit: 'time' };
  if (signal === 'SIGXFSZ') return { kind: 'limit', limit: 'output' };
  if (signal !== null || code === null) return { kind: 'crashed' };
  if (
    code !== 0 &&
    /Cannot allocate memory|failed to map segment|Resource temporarily unavailable|memory exhausted|out of memory/i.test(
      said,
    )
  ) {
    return { kind: 'limit', limit: 'memory' };
  }
  return { kind: 'ended', code, output, said };
}
