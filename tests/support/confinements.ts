import { execFileSync } from 'node:child_process';
import type { Confinement } from '#server/media/sandbox/confinement.ts';
import { systemCalls } from '#server/media/sandbox/system-calls.ts';

/** Limits alone: the control of every test that something is kept from a program. */
export const unconfined: Confinement = { kind: 'none', isolation: [] };

/** Truncating a file can be forbidden since version 3. */
export const hasLandlock = systemCalls.landlockVersion() >= 3;

/** What this machine offers, asked by other means than the server's. */
export const confinements: Confinement[] = [
  ...(hasLandlock ? [{ kind: 'landlock' } as const] : []),
  ...(runs('bwrap', '--unshare-all', '--ro-bind', '/', '/', '--', 'true') ? [{ kind: 'bubblewrap' } as const] : []),
];

function runs(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
