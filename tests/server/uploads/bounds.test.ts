import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { listen } from '#server/http/pipeline/listen.ts';
import { reservedBytes } from '#server/storage/disk-space.ts';
import type { FileCalls } from '#server/storage/disk-storage.ts';
import { systemFileCalls } from '#server/storage/disk-storage.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { initiate, putUploader, SentUpload, tus } from '#tests/support/uploads.ts';

/** A disk on which nothing but uploads lies. */
const diskBytes = 1_000_000;
const quotaBytes = 600_000;

let server: ServerUnderTest;
let port: number;
let people = 0;
/** Of each file that was ever declared, by its id. */
const declared = new Map<string, number>();
/** What was beyond a bound at any moment. */
let violations: string[] = [];

beforeAll(async () => {
  const read = async () => ({ free: diskBytes - usedBytes(), total: diskBytes });
  const env = { UPLOAD_QUOTA_GB: String(quotaBytes / 1e9) };
  server = await startServer(
    { env, overrides: { uploads: { files: watchedFiles(), diskSpace: { read } } } },
    afterFile,
  );
  port = await listen(server.app, { host: '127.0.0.1', port: 0 });
});

function partSizes(): [id: string, bytes: number][] {
  const folder = join(server.services.folders.uploads, 'parts');
  try {
    return readdirSync(folder).map((id) => [id, statSync(join(folder, id)).size]);
  } catch {
    return [];
  }
}

function usedBytes(): number {
  return partSizes().reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** Looks at the bounds after each write. */
function watchedFiles(): FileCalls {
  return {
    ...systemFileCalls,
    async write(...call) {
      const written = await systemFileCalls.write(...call);
      checkBounds();
      return written;
    },
  };
}

function checkBounds(): void {
  for (const [id, bytes] of partSizes())
    if (bytes > (declared.get(id) ?? 0))
      violations.push(`a part of ${bytes} bytes was declared as ${declared.get(id)}`);
  const used = usedBytes();
  if (used > quotaBytes) violations.push(`a person has ${used} bytes of ${quotaBytes}`);
  if (diskBytes - used < reservedBytes({ total: diskBytes }))
    violations.push(`the disk has ${diskBytes - used} bytes left`);
}

interface Sending {
  kind: 'PATCH' | 'PUT';
  upload: number;
  /** Beyond what has come. */
  offsetError: number;
  bytes: number;
  isChunked: boolean;
  checksum: 'none' | 'right' | 'wrong';
  /** After how much of it the connection is cut; 1: never. */
  share: number;
}

type Step = Sending | { kind: 'HEAD' | 'DELETE'; upload: number } | { kind: 'start'; bytes: number };

const upload = fc.nat({ max: 2 });
const sizes = fc.oneof(fc.constantFrom(0, 1, 599_999), fc.nat({ max: 700_000 }));
const sending: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('PATCH' as const, 'PATCH' as const, 'PUT' as const),
  upload,
  offsetError: fc.oneof({ arbitrary: fc.constant(0), weight: 4 }, { arbitrary: sizes, weight: 1 }),
  bytes: sizes,
  isChunked: fc.boolean(),
  checksum: fc.constantFrom('none' as const, 'right' as const, 'right' as const, 'wrong' as const),
  share: fc.oneof(
    { arbitrary: fc.constant(1), weight: 3 },
    { arbitrary: fc.double({ min: 0, max: 1, noNaN: true }), weight: 1 },
  ),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: sending, weight: 6 },
  { arbitrary: fc.record({ kind: fc.constantFrom('HEAD' as const, 'DELETE' as const), upload }), weight: 1 },
  {
    arbitrary: fc.record({ kind: fc.constant('start' as const), bytes: fc.integer({ min: 1, max: 400_000 }) }),
    weight: 1,
  },
);

/** Answered, refused or cut: it has ended. */
function send(at: SentUpload, method: string, headers: Record<string, string>, body: Buffer, share = 1): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent = request({
    host: '127.0.0.1',
    port,
    path: at.addressOf(),
    method,
    agent: false,
    headers: { ...at.key, ...headers },
  });
  sent
    .on('error', () => {})
    .on('close', resolve)
    .on('response', (reply: IncomingMessage) => void reply.resume());
  if (share === 1) sent.end(body);
  else sent.write(body.subarray(0, Math.floor(share * body.length)), () => sent.destroy());
  return promise;
}

async function sendBody(
  at: SentUpload,
  { kind, offsetError, bytes, isChunked, checksum, share }: Sending,
): Promise<void> {
  const body = Buffer.alloc(bytes, 7);
  const framing: Record<string, string> = isChunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(bytes) };
  if (kind === 'PUT') return send(at, 'PUT', framing, body, share);
  const offset = ((await at.storedBytes())?.length ?? 0) + offsetError;
  const digest = createHash('sha1')
    .update(checksum === 'right' ? body : 'others')
    .digest('base64');
  const headers: Record<string, string> = {
    ...tus,
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(offset),
    ...framing,
  };
  return send(
    at,
    'PATCH',
    checksum === 'none' ? headers : { ...headers, 'upload-checksum': `sha1 ${digest}` },
    body,
    share,
  );
}

async function take(person: Person, uploads: SentUpload[], one: Step): Promise<void> {
  if (one.kind === 'start') return start(person, uploads, one.bytes);
  const at = uploads[one.upload % uploads.length];
  if (at === undefined) return;
  if ('offsetError' in one) return sendBody(at, one);
  return send(at, one.kind, tus, Buffer.alloc(0));
}

async function start(person: Person, uploads: SentUpload[], bytes: number): Promise<void> {
  const reply = await initiate(server, person, [{ file_size: bytes }]);
  if (reply.statusCode !== 201) return;
  const started = new SentUpload(server, reply.json());
  for (const { id } of started.session.files) declared.set(id, bytes);
  uploads.push(started);
}

test('no sequence of requests, in any order and cut anywhere, makes a part longer than declared, a person have more than their quota, or the disk fuller than its reserve; cancelling gives all of it back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
      async (rounds) => {
        people += 1;
        violations = [];
        const person = await putUploader(server, `person-${people}`);
        const uploads: SentUpload[] = [];
        await start(person, uploads, 250_000);
        await start(person, uploads, 1);
        for (const round of rounds) {
          await Promise.all(round.map((one) => take(person, uploads, one)));
          checkBounds();
        }
        for (const { id } of uploads)
          await server.call('DELETE', `/api/upload/cancel/${id}`, { headers: person.headers });
        expect([violations, usedBytes()]).toEqual([[], 0]);
      },
    ),
    { numRuns: 10 },
  );
});
