import { accessSync, chownSync, constants, statSync } from 'node:fs';
import { sandboxUser } from '../sandbox-user.ts';
import { retainCapabilities, setCapabilities } from './system-calls.ts';

/** `CAP_DAC_READ_SEARCH`: modes of files keep nobody from reading. */
const readAll = 1 << 2;

/**
 * Makes root a user without rights. Only where that one could not read something that it needs (the video of somebody
 * who shares it with nobody, an ffmpeg below root's home) it keeps the right to read, and what it may read is decided
 * by Landlock alone.
 * @param folder becomes its own
 * @param devices whose groups it belongs to: their modes let nobody else use them
 */
export function becomeOwnUser(folder: string, needed: readonly string[], devices: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const isOther = changeUser(folder, devices);
  setCapabilities(isOther && !needed.every(isReadable) ? readAll : 0);
}

/**
 * Root of a container may have been left without this right; the namespace may know no second user. Then it stays root,
 * without its capabilities.
 */
function changeUser(folder: string, devices: readonly string[]): boolean {
  try {
    chownSync(folder, sandboxUser, sandboxUser);
    retainCapabilities();
    process.setgroups?.(groupsOf(devices));
    process.setgid?.(sandboxUser);
    process.setuid?.(sandboxUser);
    return true;
  } catch {
    return false;
  }
}

/** Those of root alone are left out. */
function groupsOf(devices: readonly string[]): number[] {
  const groups = devices.flatMap((device) => statSync(device, { throwIfNoEntry: false })?.gid ?? []);
  return [...new Set(groups)].filter((group) => group !== 0);
}

/** To the user, whatever capabilities there are. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
