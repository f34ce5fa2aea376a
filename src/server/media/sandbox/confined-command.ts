import { bubblewrapArguments } from './bubblewrap.ts';
import type { ConfinedProgram, Confinement } from './confinement.ts';

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
