import { fileURLToPath } from 'node:url';
import { bubblewrapArguments } from './bubblewrap.ts';
import type { ConfinedProgram, Confinement } from './confinement.ts';
import type { LaunchOrder } from './launcher.ts';

const launcher = fileURLToPath(new URL('./launcher.ts', import.meta.url));

const lowestPriority = ['nice', '-n', '19'];

/**
 * The command that runs the program confined, at the lowest priority. The launcher itself has the usual one: on a busy
 * machine it would take seconds.
 */
export function confinedCommand(confinement: Confinement, confined: ConfinedProgram): string[] {
  const { program, args } = confined;
  if (confinement.kind === 'none') return [...lowestPriority, ...confinement.isolation, program, ...args];
  if (confinement.kind === 'bubblewrap')
    return [...lowestPriority, 'bwrap', ...bubblewrapArguments(confined), '--', program, ...args];
  const { executable, hasInput, memoryMegabytes, fileBytes, whenIdle = false, devices = [] } = confined;
  const memoryBytes = memoryMegabytes * 1024 * 1024;
  const order: LaunchOrder = { program, args, executable, hasInput, memoryBytes, fileBytes, whenIdle, devices };
  return [process.execPath, launcher, JSON.stringify(order)];
}
