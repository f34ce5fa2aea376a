import { constants } from 'node:os';
import { normalize } from 'node:path';

/**
 * The command that precedes a program's own and leaves it no network, not even loopback; empty if
 * none works here.
 */
export type NetworkIsolation = readonly string[];

/**
 * The mechanism that isolates a program from the rest of the machine. With `landlock` and
 * `bubblewrap` it sees its own files and its input, has no sockets and reaches no other process.
 * With `none` it has this server's rights, except for the network if `isolation` removes it.
 */
export type Confinement = { kind: 'landlock' } | { kind: 'bubblewrap' } | { kind: 'none'; isolation: NetworkIsolation };

export interface ConfinedProgram {
  /** Absolute path. */
  program: string;
  args: readonly string[];
  /** Further files and folders that it may read and execute, such as its libraries. */
  executable: readonly string[];
  /** Absolute path of its working folder, in which it may write. */
  folder: string;
  hasInput: boolean;
  /** Whether it runs only when a processor is idle. Only `landlock` supports this. */
  whenIdle?: boolean;
  /**
   * Device files that it may read, write and control. It may then also read the system's
   * description of devices.
   */
  devices?: readonly string[];
}

const lowestPriority = ['nice', '-n', '19'];

/**
 * The command that runs a program confined and at the lowest priority, for confinement by other
 * programs.
 */
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
 * The arguments for an empty file system that contains only the program, its libraries, its folder
 * and its input, with everything but the folder read-only, and new namespaces of every type. The
 * input is mounted at its descriptor's path, so the program needs no /proc; bubblewrap itself finds
 * it as `/proc/self/fd/4`.
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
    // The rest of the file system is in memory that no limit counts.
    ...['--remount-ro', '/'],
  ];
}

/**
 * User and group of confined programs if the server runs as root. No distribution assigns this id,
 * and it also exists in namespaces of 65,536 ids.
 */
export const sandboxUser = 65_533;

/** The folder in which Linux describes devices. Drivers read it to find their hardware. */
export const deviceFacts = '/sys';

/**
 * Exit code if nothing was run because the kernel refused the confinement. 126 and 127 mean that
 * the program could not be executed, as in a shell.
 */
export const notConfined = 125;

/** The limit that a program has exceeded. */
type ProgramLimit = 'time' | 'memory' | 'output' | 'disk_full';

export interface EndedProgram {
  kind: 'ended';
  code: number;
  /** Empty if the output was passed to `onOutput`. */
  output: Buffer;
  /** The start and the end of its standard error, which is never shown to anyone. */
  said: string;
}

export type ProgramEnd =
  /** The program has exited by itself. */
  EndedProgram | { kind: 'crashed' } | { kind: 'limit'; limit: ProgramLimit };

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * Interprets the end of a program. If it runs below another one (bubblewrap, a shell), a signal is
 * reported as exit code 128 plus the signal's number.
 */
export function describeEnd(code: number | null, signalName: string | null, output: Buffer, said: string): ProgramEnd {
  const signal = signalName ?? signalNames.get((code ?? 0) - 128) ?? null;
  // The kernel's limit on processor time sends SIGXCPU, or SIGKILL if its soft and hard limits are
  // equal.
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
