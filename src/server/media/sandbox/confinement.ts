import { constants } from 'node:os';
import { normalize } from 'node:path';

/**
 * What stands before a program so that it has no network at all, not even to its own machine; empty where nothing does.
 */
export type NetworkIsolation = readonly string[];

/**
 * What keeps a program from the rest of the machine. With `landlock` and `bubblewrap` it sees its own files and its
 * input, has no sockets and reaches no other process; with `none` it may do what this server may, but for a network
 * where `isolation` takes it away.
 */
export type Confinement = { kind: 'landlock' } | { kind: 'bubblewrap' } | { kind: 'none'; isolation: NetworkIsolation };

export interface ConfinedProgram {
  /** Absolute. */
  program: string;
  args: readonly string[];
  /** Further files and folders that it may read and execute: its libraries. */
  executable: readonly string[];
  /** Its working folder, absolute: it may write here. */
  folder: string;
  hasInput: boolean;
  /** Where `landlock` confines it, it gets only the processor time that nobody else wants. */
  whenIdle?: boolean;
  /** Device files that it may use, with all their controls, and what of the system describes them. */
  devices?: readonly string[];
}

const lowestPriority = ['nice', '-n', '19'];

/** The command that runs the program confined, at the lowest priority, where other programs confine it. */
export function confinedCommand(
  confinement: Exclude<Confinement, { kind: 'landlock' }>,
  confined: ConfinedProgram,
): string[] {
  const { program, args } = confined;
  if (confinement.kind === 'none') return [...lowestPriority, ...confinement.isolation, program, ...args];
  return [...lowestPriority, 'bwrap', ...bubblewrapArguments(confined), '--', program, ...args];
}

const devices = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'];

/**
 * An empty file system with nothing but the program, its libraries, its folder and its input, all but the folder
 * read-only, and namespaces of its own for everything. The input lies where its descriptor would be, so that no /proc
 * is needed; bubblewrap takes it by the name that it has just now.
 */
export function bubblewrapArguments({
  program,
  executable,
  folder,
  hasInput,
  devices: ownDevices = [],
}: Omit<ConfinedProgram, 'args'>): string[] {
  const user = String(sandboxUser);
  return [
    ...['--unshare-all', '--unshare-user', '--die-with-parent', '--cap-drop', 'ALL', '--uid', user, '--gid', user],
    ...devices.flatMap((device) => ['--dev-bind', device, device]),
    ...[program, ...executable].map((path) => normalize(path)).flatMap((path) => ['--ro-bind-try', path, path]),
    ...ownDevices.flatMap((device) => ['--dev-bind-try', device, device]),
    ...(ownDevices.length > 0 ? ['--ro-bind-try', deviceFacts, deviceFacts] : []),
    ...(hasInput ? ['--ro-bind', '/proc/self/fd/4', '/dev/fd/4'] : []),
    ...['--bind', folder, folder, '--chdir', folder],
    // The rest lies in memory that no limit counts.
    ...['--remount-ro', '/'],
  ];
}

/**
 * User and group of confined programs where the server runs as root. No distribution gives it to anybody, and it exists
 * in namespaces of 65,536 ids too.
 */
export const sandboxUser = 65_533;

/** Where Linux describes devices: their drivers look there for what they drive. */
export const deviceFacts = '/sys';

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
