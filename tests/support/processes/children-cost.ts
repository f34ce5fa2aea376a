import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ, which Linux has kept at 100 everywhere. */
const tickMs = 10;
const samplePeriodMs = 5;

export interface ChildrenCost {
  /** Of those that have ended meanwhile. */
  processorMs: number;
  /** The most that one of them had in memory. */
  mebibytes: number;
}

/** What the programs cost that this process starts during some work, and those that they start. */
export async function costOfChildren(work: () => Promise<unknown>): Promise<ChildrenCost> {
  const before = endedChildrenMs();
  let mebibytes = 0;
  const sample = setInterval(() => {
    for (const pid of listBelow(process.pid)) mebibytes = Math.max(mebibytes, peakMebibytes(pid));
  }, samplePeriodMs);
  try {
    await work();
  } finally {
    clearInterval(sample);
  }
  return { processorMs: endedChildrenMs() - before, mebibytes };
}

function endedChildrenMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // After the name, which may hold spaces: state is the first, cutime the fourteenth, cstime the fifteenth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}

/** Those that end meanwhile are left out. */
function listBelow(pid: number): number[] {
  const tasks = readOr([], () => readdirSync(`/proc/${pid}/task`));
  const lists = tasks.map((task) => readOr('', () => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')));
  const children = lists.flatMap((list) => list.trim().split(' ').filter(Boolean).map(Number));
  return children.flatMap((child) => [child, ...listBelow(child)]);
}

function peakMebibytes(pid: number): number {
  const status = readOr('', () => readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
}

function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
