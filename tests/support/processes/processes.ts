import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

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

/** By which rule the kernel gives it processor time; 5 stands for what nobody else wants (`sched(7)`). */
export function schedulingPolicy(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // After the name, which may hold spaces: state is the third field, the policy the 41st.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);
}

/** The weight of its session among all others, as nice values go; null where the kernel weighs none (`sched(7)`). */
export function sessionNice(pid: number): number | null {
  const file = `/proc/${pid}/autogroup`;
  if (!existsSync(file)) return null;
  // Of the session in which the system started, which has the usual weight, the file is empty.
  return Number(/ nice (-?\d+)/.exec(readFileSync(file, 'latin1'))?.[1] ?? 0);
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
