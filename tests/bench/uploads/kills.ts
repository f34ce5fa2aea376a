import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { smallVideo } from '#tests/support/media/videos.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';
import { amount } from '../form.ts';
import { printAmounts } from '../table.ts';
import type { Destination } from './upload-site.ts';
import { UploadSite } from './upload-site.ts';

const kills = Number(process.env.KILLS ?? amount(20, 2));
const seed = Number(process.env.SEED ?? 16);
const fileBytes = 8 * 1024 * 1024;
const pieceBytes = 16 * 1024;
/** 8 MB/s: what has left the client has reached the server, and does not lie between them. */
const pieceEveryMs = 2;
const longestMs = 800;

const tus = { 'Tus-Resumable': '1.0.0' };
const patchType = 'application/offset+octet-stream';

/**
 * A server is killed at random moments while a file comes, and the next one goes on. `KILLS` and `SEED` say how often,
 * and with which chance.
 */
export async function measureKills(folder: string): Promise<void> {
  const random = seededRandom(seed);
  const site = await UploadSite.start(folder);
  let [content, file] = await begin(site);
  let broken = 0;
  let mostSentAgain = 0;
  try {
    for (let count = 0; count < kills; count += 1) {
      const offset = await offsetOf(file);
      const part = site.partOf(file);
      // There is none before its first byte.
      const stored = existsSync(part) ? readFileSync(part) : Buffer.alloc(0);
      if (offset !== stored.length || !stored.equals(content.subarray(0, offset))) broken += 1;
      const sending = send(file, content, offset);
      await Promise.race([wait(random(longestMs)), sending.ended]);
      await site.kill();
      await sending.ended;
      await site.run();
      file = site.relocate(file);
      const reached = await offsetOf(file);
      mostSentAgain = Math.max(mostSentAgain, sending.sent() - reached);
      if (reached < fileBytes) continue;
      if (!(await isCompleted(site, file))) broken += 1;
      [content, file] = await begin(site);
    }
  } finally {
    await site.stop();
  }
  printAmounts(`A server that is killed ${kills} times while files come, seed ${seed}`, [
    { what: 'files that were not whole', value: broken, unit: '', goal: 0, floor: 0 },
    { what: 'sent again after a kill, at most', value: mostSentAgain / 1024, unit: 'KiB', goal: 1_024, floor: 1_024 },
  ]);
}

async function begin(site: UploadSite): Promise<[Buffer, Destination]> {
  const video = readFileSync(smallVideo());
  const head = Buffer.alloc(8);
  head.writeUInt32BE(fileBytes - video.length);
  head.write('free', 4);
  const content = Buffer.concat([video, head, randomBytes(fileBytes - video.length - head.length)]);
  const [file] = await site.open(fileBytes);
  if (file === undefined) throw new Error('no address');
  return [content, file];
}

function send(file: Destination, content: Buffer, offset: number): { ended: Promise<void>; sent(): number } {
  const headers = {
    ...tus,
    accesskey: file.key,
    'content-type': patchType,
    'upload-offset': offset,
    'content-length': content.length - offset,
  };
  const sending = request(file.url, { method: 'PATCH', headers, agent: false });
  const { promise, resolve } = Promise.withResolvers<void>();
  let at = offset;
  const timer = setInterval(() => {
    // What the system has not taken yet has not left.
    if (at >= content.length || sending.writableLength > 0) return;
    sending.write(content.subarray(at, at + pieceBytes));
    at = Math.min(content.length, at + pieceBytes);
  }, pieceEveryMs);
  sending.on('response', (reply) => void reply.resume());
  sending.on('error', () => {});
  sending.on('close', () => {
    clearInterval(timer);
    resolve();
  });
  return { ended: promise, sent: () => at };
}

async function offsetOf({ url, key }: Destination): Promise<number> {
  const { headers } = await fetch(url, { method: 'HEAD', headers: { ...tus, AccessKey: key } });
  return Number(headers.get('upload-offset'));
}

async function isCompleted(site: UploadSite, { sessionId, key }: Destination): Promise<boolean> {
  const reply = await fetch(`${site.url}/api/upload/complete/${sessionId}`, {
    method: 'POST',
    headers: { AccessKey: key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ session_id: sessionId, files: [] }),
  });
  return ((await reply.json()) as { success: boolean }).success;
}
