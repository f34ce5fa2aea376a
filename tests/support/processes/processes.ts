import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Processes that have the word as an argument. One that ended and was not waited for has none. */
export function processesWith(word: string): number[] {
  return listProcesses().filter((pid) => readArguments(pid).includes(word));
}

/** Processes that work somewhere below the folder. */
export function processesIn(folder: string): number[] {
  return listProcesses().filter((pid) => readFolder(pid).startsWith(folder));
}

/** Whether it stands still. */
export function isStopped(pid: number): boolean {
  try {
    return /^\d+ \(.*\) T/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function listProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function readArguments(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
