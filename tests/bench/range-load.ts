import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { largeVideoBytes } from '#tests/support/media/large-video.ts';
import type { RangeServer } from './range-servers.ts';

/** What one run of the generator saw, and what it cost the server. */
export interface Load {
  megabytesPerSecond: number;
  cpuMsPerGigabyte: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  errors: number;
  /** Requests that took more than two seconds. */
  late: number;
  rssMegabytes: number;
  restMegabytes: number;
}

const run = promisify(execFile);

/** Nothing is compiled or learned about when the measuring begins. */
const warmUpSeconds = 2;

/** USER_HZ, which Linux has kept at 100 everywhere. */
const tickMs = 10;

const script = `
local piece = 1048576
math.randomseed(os.time())
request = function()
  local first = math.random(0, ${largeVideoBytes} - piece)
  wrk.headers["Range"] = "bytes=" .. first .. "-" .. (first + piece - 1)
  return wrk.format("GET", nil)
end
done = function(summary, latency)
  local errors = summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout + summary.errors.connect
  local late = 0
  for i = 1, #latency do
    local us, count = latency(i)
    if us > 2000000 then late = late + count end
  end
  io.write(string.format("figures %f %f %f %f %d %d\\n", summary.bytes / summary.duration, latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000, errors, late))
end
`;

/** Random ranges of 1 MiB from core 1. */
export async function loadRanges(
  { pid, url }: RangeServer,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-wrk-'));
  try {
    await writeFile(join(folder, 'ranges.lua'), script);
    const wrk = (runSeconds: number) => [
      '-c',
      '1',
      'wrk',
      '-t1',
      `-c${connections}`,
      `-d${runSeconds}s`,
      '--timeout',
      '10s',
      '-s',
      join(folder, 'ranges.lua'),
      url,
    ];
    const restMegabytes = await readRss(pid);
    await run('taskset', wrk(warmUpSeconds));
    const before = await cpuMsOf(pid);
    const { stdout } = await run('taskset', wrk(seconds));
    const cpuMs = (await cpuMsOf(pid)) - before;
    const [megabytesPerSecond = 0, p50Ms = 0, p99Ms = 0, maxMs = 0, errors = 0, late = 0] =
      /figures (.*)/.exec(stdout)?.[1]?.split(' ').map(Number) ?? [];
    const cpuMsPerGigabyte = cpuMs / ((megabytesPerSecond * seconds) / 1000);
    return {
      megabytesPerSecond,
      cpuMsPerGigabyte,
      p50Ms,
      p99Ms,
      maxMs,
      errors,
      late,
      rssMegabytes: await readRss(pid),
      restMegabytes,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** User and system time of a process, its threads and its children that live. */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may hold spaces: state is the first, utime the twelfth, stime the thirteenth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) * tickMs;
  const children = await Promise.all((await childrenOf(pid)).map(cpuMsOf));
  return children.reduce((sum, ms) => sum + ms, own);
}

async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.trim().split(' ').filter(Boolean).map(Number));
}

async function readRss(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
