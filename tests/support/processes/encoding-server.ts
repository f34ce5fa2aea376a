import { join } from 'node:path';
import { readEnv } from '#server/env.ts';
import { createLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import type { FileCalls } from '#server/storage/disk-storage.ts';
import { CopyingEncoder } from '../media/copying-encoder.ts';
import type { KillPoint } from '../storage/counted-calls.ts';
import { CountedCalls } from '../storage/counted-calls.ts';

/**
 * A server in a process of its own that scans its library and encodes what nothing plays, and is killed at one of its
 * calls: while it `encode`s, at the `commit` of what was made, or at a call of the file system by its name.
 */
export interface EncodingRun {
  env: Record<string, string>;
  kill: KillPoint<keyof FileCalls | 'encode' | 'commit'>;
}

const { env, kill } = JSON.parse(process.argv[2] ?? '') as EncodingRun;
const counted = new CountedCalls(kill);

const encoder = new CopyingEncoder(join(env.DATA_DIR ?? '', 'work'));
encoder.before = () => {
  counted.isCounting = true;
  return counted.count('encode', async () => {});
};
const services = await createServices(readEnv(env), createLog('fatal'), '1.2.3', {
  // One that is killed holds up nobody for long.
  jobTimes: { poll: 50, heartbeat: 100, lease: 500 },
  encodings: { tools: { encoder }, files: counted.files },
});
const { idSets, encodings, scanner, runner } = services;
const write = idSets.write.bind(idSets);
// Encodings were given the sets themselves.
Object.assign(idSets, { write: ((work) => counted.count('commit', () => write(work))) as typeof idSets.write });
// Nothing else keeps it alive; whoever started it is gone by then.
setTimeout(() => process.exit(1), 120_000);
await encodings.open();
runner.start();
await scanner.request();
await encodings.queueUnplayable();
