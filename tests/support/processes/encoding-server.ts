import { join } from 'node:path';
import { readEnv } from '#server/env.ts';
import { createLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import type { FileCalls } from '#server/storage/file-calls.ts';
import { systemFileCalls } from '#server/storage/file-calls.ts';
import { CopyingEncoder } from '../media/copying-encoder.ts';

/**
 * A server in a process of its own that scans its library and encodes what nothing plays, and is killed at one of its
 * calls: while it `encode`s, at the `commit` of what was made, or at a call of the file system by its name.
 */
export interface EncodingRun {
  env: Record<string, string>;
  kill: { call: keyof FileCalls | 'encode' | 'commit'; count: number; when: 'before' | 'after' };
}

const { env, kill } = JSON.parse(process.argv[2] ?? '') as EncodingRun;
let calls = 0;
let isEncoding = false;

async function counted<T>(call: string, work: () => Promise<T>): Promise<T> {
  if (!isEncoding || call !== kill.call) return work();
  calls += 1;
  if (calls === kill.count && kill.when === 'before') process.kill(process.pid, 'SIGKILL');
  const result = await work();
  if (calls === kill.count) process.kill(process.pid, 'SIGKILL');
  return result;
}

const files = Object.fromEntries(
  Object.entries(systemFileCalls).map(([name, call]) => [
    name,
    (...args: unknown[]) => counted(name, () => (call as (...args: unknown[]) => Promise<unknown>)(...args)),
  ]),
) as unknown as FileCalls;

const encoder = new CopyingEncoder(join(env.DATA_DIR ?? '', 'work'));
encoder.before = () => {
  isEncoding = true;
  return counted('encode', async () => {});
};
const services = await createServices(readEnv(env), createLog('fatal'), '1.2.3', {
  // One that is killed holds up nobody for long.
  jobTimes: { poll: 50, heartbeat: 100, lease: 500 },
  encodings: { tools: { encoder }, files },
});
const { idSets, encodings, scanner, runner } = services;
const write = idSets.write.bind(idSets);
// Encodings were given the sets themselves.
Object.assign(idSets, { write: ((work) => counted('commit', () => write(work))) as typeof idSets.write });
// Nothing else keeps it alive; whoever started it is gone by then.
setTimeout(() => process.exit(1), 120_000);
await encodings.open();
runner.start();
await scanner.request();
await encodings.queueUnplayable();
