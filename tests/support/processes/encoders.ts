import { readdirSync, readFileSync } from 'node:fs';

/** The programs named ffmpeg that descend from a process; by default those that this one has started, at any remove. */
export function listEncoders(pid = process.pid): number[] {
  const tasks = readOr([], () => readdirSync(`/proc/${pid}/task`));
  const lists = tasks.map((task) => readOr('', () => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')));
  const children = lists.flatMap((list) => list.trim().split(' ').filter(Boolean).map(Number));
  const below = children.flatMap((child) => listEncoders(child));
  const isEncoder = readOr('', () => readFileSync(`/proc/${pid}/comm`, 'utf8')).startsWith('ffmpeg');
  return isEncoder ? [pid, ...below] : below;
}

/** Those of them that make a quadrant's encoding of a video. The trial of an encoder draws its own picture. */
export function listGridEncoders(): number[] {
  return listEncoders().filter((pid) => {
    const words = readOr('', () => readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    return words.includes('grid.mp4') && !words.includes('lavfi');
  });
}

/** What has ended meanwhile is left out. */
export function signalAll(pids: readonly number[], signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) readOr(false, () => process.kill(pid, signal));
}

function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
