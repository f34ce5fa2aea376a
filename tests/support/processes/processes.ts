import { readdirSync, readFileSync } from 'node:fs';

/** Processes that have the word as an argument. One that ended and was not waited for has none. */
export function processesWith(word: string): number[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.filter((pid) => readArguments(pid).includes(word)).map(Number);
}

function readArguments(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
