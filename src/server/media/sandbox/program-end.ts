import { constants } from 'node:os';

/**
 * The exit code when nothing has run because the kernel refused to confine it. 126 and 127 say that the program is at
 * fault, as a shell's do.
 */
export const notConfined = 125;

/** What a program ran out of. */
type ProgramLimit = 'time' | 'memory' | 'output' | 'disk_full';

export interface EndedProgram {
  kind: 'ended';
  code: number;
  /** Empty when it was passed on. */
  output: Buffer;
  /** The beginning and the end of what it wrote to standard error. It is never shown to anybody. */
  said: string;
}

export type ProgramEnd =
  /** By itself. */
  EndedProgram | { kind: 'crashed' } | { kind: 'limit'; limit: ProgramLimit };

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
  if (code !== 0 && /No space left on device|Disk quota exceeded/.test(said))
    return { kind: 'limit', limit: 'disk_full' };
  if (code !== 0 && /File too large/.test(said)) return { kind: 'limit', limit: 'output' };
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
