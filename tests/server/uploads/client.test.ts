import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { DefaultHttpStack } from 'tus-js-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '#server/http/pipeline/listen.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload } from '#tests/support/uploads.ts';

/** The app's own attempt, which is written for browsers: its types do not go with those of the server. */
interface AttemptModule {
  TusAttempt: new (
    plan: object,
    events: object,
    stack: DefaultHttpStack,
  ) => { run(): Promise<{ kind: string; status?: number }> };
}

const mib = 1024 ** 2;
const film = randomBytes(24 * mib);

let server: ServerUnderTest;
let ada: Person;
let port: number;
let link: Link;
let client: AttemptModule;

/** In front of the server: ends one connection after another when it has passed on so many bytes. */
class Link {
  passedBytes = 0;
  cuts: number[] = [];
  private readonly open = new Set<Socket>();
  private readonly server: Server;

  constructor(to: () => number) {
    this.server = createServer((near) => {
      const cutAfter = this.cuts.shift() ?? Number.POSITIVE_INFINITY;
      const far = connect(to(), '127.0.0.1');
      let passed = 0;
      this.open.add(far.once('close', () => this.open.delete(far)));
      near.on('data', (chunk) => {
        const bytes = chunk.subarray(0, cutAfter - passed);
        passed += bytes.length;
        this.passedBytes += bytes.length;
        if (passed >= cutAfter) near.pause();
        far.write(bytes, () => passed >= cutAfter && near.destroy());
      });
      far.on('data', (chunk) => near.write(chunk));
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const)
        one.on('error', () => {}).on('close', () => other.end());
    });
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Until the server has done with all that came: the app waits a second after a cut. */
  async drain(): Promise<void> {
    for (const socket of this.open) await once(socket, 'close');
  }

  close(): void {
    this.server.close();
  }
}

beforeAll(async () => {
  const file = '#app/transfer/attempt.ts';
  client = (await import(file)) as AttemptModule;
  server = await startServer({}, afterFile);
  const serverPort = await listen(server.app, { host: '127.0.0.1', port: 0 });
  link = new Link(() => serverPort);
  port = await link.listen();
  ada = await putUploader(server, 'ada');
});

afterAll(() => link.close());

/** Another request that still holds the file, or has added to it, is no end either. */
const isOpen = (end = 'unanswered') => ['unanswered', 'answered 409', 'answered 423'].includes(end);

/** Sends until an attempt is through. @returns how each one has ended, and what the server has confirmed */
async function send(upload: SentUpload, key = upload.session.bunny_access_key) {
  const ends: string[] = [];
  const confirmed: number[] = [];
  const slice = async (start: number, end: number) =>
    Object.assign(Buffer.from(film.subarray(start, end)), { size: end - start });
  const plan = {
    source: { size: film.length, slice },
    address: `http://127.0.0.1:${port}${upload.addressOf()}`,
    key,
    type: 'video/mp4',
    maxPartBytes: 64 * mib,
  };
  const events = { onSent: () => {}, onAcknowledged: (bytes: number) => void confirmed.push(bytes) };
  for (let attempt = 0; attempt < 10 && isOpen(ends[ends.length - 1]); attempt += 1) {
    const end = await new client.TusAttempt(plan, events, new DefaultHttpStack({ agent: false })).run();
    await link.drain();
    ends.push(end.status === undefined ? end.kind : `${end.kind} ${end.status}`);
  }
  return { ends, confirmed };
}

test('over a link that breaks, the app sends hardly a byte twice, and what arrives is the file', async () => {
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  // Each second connection carries bytes: the one before asks for the offset.
  link.cuts = [mib, mib / 2, mib, mib, mib, 3 * mib, mib, mib, mib, 2 * mib];
  const { ends, confirmed } = await send(upload);
  expect(ends.length).toBeGreaterThan(2);
  expect(ends).toEqual([...ends.slice(0, -1).map(() => 'unanswered'), 'sent']);
  expect(confirmed[confirmed.length - 1]).toBe(film.length);
  expect(confirmed).toEqual([...confirmed].sort((one, other) => one - other));
  const digest = (bytes: Buffer | null) =>
    createHash('sha256')
      .update(bytes ?? '')
      .digest('hex');
  expect(digest(await upload.storedBytes())).toBe(digest(film));
  expect(link.passedBytes).toBeLessThan(film.length * 1.08);
});

test('with another key the app is answered, and sends nothing', async () => {
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  link.passedBytes = 0;
  expect((await send(upload, 'another key')).ends).toEqual(['answered 404']);
  expect(link.passedBytes).toBeLessThan(10_000);
});
