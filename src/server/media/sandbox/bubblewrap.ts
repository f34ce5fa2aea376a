import { normalize } from 'node:path';
import type { ConfinedProgram } from './confinement.ts';
import { deviceFacts } from './device-facts.ts';
import { sandboxUser } from './sandbox-user.ts';

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
