import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { buildApp } from '#server/app.ts';
import { readEnv } from '#server/env.ts';
import { createLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import type { FileCalls } from '#server/storage/disk-storage.ts';
import type { KillPoint } from '../storage/counted-calls.ts';
import { CountedCalls } from '../storage/counted-calls.ts';

/**
 * A server in a process of its own that is sent what is missing of a file, in two parts, and completes it, and is killed
 * at one of its calls: of the file system by their names, `probe`, `commit` of a video, or `any` of these
 * and of the database.
 */
export interface UploadingRun {
  env: Record<string, string>;
  address: string;
  key: string;
  sessionId: string;
  film: string;
  kill: KillPoint<keyof FileCalls | 'probe' | 'commit'>;
}

const { env, address, key, sessionId, film, kill } = JSON.parse(process.argv[2] ?? '') as UploadingRun;
const counted = new CountedCalls(kill);

const quiet = new Writable({ write: (_chunk, _encoding, done) => done() });
const services = await createServices(readEnv(env), createLog('fatal', quiet), '1.2.3', {
  // One that is killed holds up nobody for long.
  uploads: { files: counted.files, lockTimes: { leaseMs: 500, renewMs: 100 } },
});
const { idSets } = services;
const write = idSets.write.bind(idSets);
idSets.write = (work) => counted.count('commit', () => write(work));
const { database, uploads } = services;
const { storage } = uploads;
const [writeRows, openWhole] = [database.write.bind(database), storage.openWhole.bind(storage)];
database.write = (work) => counted.count('write rows', () => writeRows(work));
// Uploads were given the sets themselves.
Object.assign(uploads, { idSets });
storage.openWhole = (...opened) => counted.count('probe', () => openWhole(...opened));
await uploads.start();
const app = await buildApp(services);
const headers = { accesskey: key, 'tus-resumable': '1.0.0' };
const bytes = readFileSync(film);
counted.isCounting = true;
const { headers: known } = await app.inject({ method: 'HEAD', url: address, headers });
const offset = Number(known['upload-offset']);
const middle = offset + Math.floor((bytes.length - offset) / 2);
for (const [from, to] of [
  [offset, middle],
  [middle, bytes.length],
] as const)
  await app.inject({
    method: 'PATCH',
    url: address,
    headers: { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(from) },
    payload: bytes.subarray(from, to),
  });
await app.inject({
  method: 'POST',
  url: `/api/upload/complete/${sessionId}`,
  headers: { accesskey: key },
  payload: { session_id: sessionId, files: [] },
});
process.exit(1);
