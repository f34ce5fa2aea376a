import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload, tus } from '#tests/support/uploads.ts';

/*
 * The sentences of https://tus.io/protocols/resumable-upload 1.0.0: core, checksum, termination and expiration. Creation
 * is the call `startUpload`, and methods are not overridden: a header that changes what a request means is of use to
 * whoever wants to get past a guard.
 */

const clock = settableClock();
let server: ServerUnderTest;
let ada: Person;

beforeAll(async () => {
  server = await startServer({ overrides: { clock } }, afterFile);
  ada = await putUploader(server, 'ada');
});

/** Of a file of 1,000 bytes, of which so many have come. */
async function begin(received = 0, person = ada): Promise<SentUpload> {
  const upload = await SentUpload.start(server, person);
  if (received > 0) expect((await upload.patch(0, Buffer.alloc(received, 1))).statusCode).toBe(204);
  return upload;
}

const some = Buffer.from('some bytes');
const digestOf = (algorithm: string, bytes: Buffer) =>
  `${algorithm} ${createHash(algorithm).update(bytes).digest('base64')}`;

describe('core', () => {
  test('HEAD: the server MUST always include the Upload-Offset, also 0, and the Upload-Length when it is known', async () => {
    const upload = await begin();
    const { statusCode, headers, body } = await upload.send('HEAD', { headers: tus });
    expect([statusCode, headers['upload-offset'], headers['upload-length'], body]).toEqual([200, '0', '1000', '']);
    await upload.patch(0, some);
    expect(await upload.offset()).toBe(some.length);
  });

  test('HEAD: the server MUST prevent the response from being cached', async () => {
    expect((await (await begin()).send('HEAD', { headers: tus })).headers['cache-control']).toBe('no-store');
  });

  test('HEAD: without a resource it answers 404 and MUST NOT include the Upload-Offset', async () => {
    const upload = await begin();
    const reply = await server.call('HEAD', `${upload.addressOf()}x`, { headers: { ...tus, ...upload.key } });
    expect([reply.statusCode, reply.headers['upload-offset']]).toEqual([404, undefined]);
  });

  test('PATCH: the server MUST acknowledge with 204 and the new Upload-Offset', async () => {
    const upload = await begin(100);
    const { statusCode, headers, body } = await upload.patch(100, some);
    expect([statusCode, headers['upload-offset'], body]).toEqual([204, String(100 + some.length), '']);
  });

  test('PATCH: without a body nothing comes, and the offset stays', async () => {
    const upload = await begin(100);
    expect((await upload.patch(100, Buffer.alloc(0))).headers['upload-offset']).toBe('100');
  });

  test.each([
    'application/octet-stream',
    'video/mp4',
    'application/json',
    'application/offset+octet-stream; charset=utf-8',
  ])('PATCH: a request of type %s MUST be answered with 415', async (type) => {
    expect((await (await begin()).patch(0, some, { 'content-type': type })).statusCode).toBe(415);
  });

  test.each([0, 50, 101, 1_000, 2 ** 53 - 1])(
    'PATCH: when offsets do not match (%d where 100 came), the server MUST answer 409 and not change the resource',
    async (offset) => {
      const upload = await begin(100);
      expect((await upload.patch(offset, Buffer.alloc(0))).statusCode).toBe(409);
      expect(await upload.offset()).toBe(100);
    },
  );

  test.each(['-1', '1.5', 'x', '', '1e3', '9007199254740993'])(
    'PATCH: Upload-Offset MUST be a non-negative integer, which %j is not',
    async (offset) => {
      const upload = await begin();
      expect((await upload.patch(offset, some)).statusCode).toBe(400);
      expect(await upload.offset()).toBe(0);
    },
  );

  test('PATCH: what is beyond the declared length is refused, and nothing of it is stored', async () => {
    const upload = await begin(995);
    expect((await upload.patch(995, some)).statusCode).toBe(413);
    expect(await upload.offset()).toBe(995);
    expect((await upload.patch(995, Buffer.alloc(5))).statusCode).toBe(204);
    expect((await upload.patch(1_000, Buffer.alloc(1))).statusCode).toBe(413);
  });

  test('PATCH: for a resource that does not exist the server answers 404', async () => {
    const upload = await begin();
    const headers = { ...tus, ...upload.key, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
    expect((await server.call('PATCH', `${upload.addressOf()}x`, { headers, payload: some })).statusCode).toBe(404);
  });

  test('OPTIONS: answered with 204, Tus-Version and Tus-Extension, without Tus-Resumable being asked for', async () => {
    const { statusCode, headers } = await server.call('OPTIONS', (await begin()).addressOf());
    expect(statusCode).toBe(204);
    expect(headers).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-extension': 'checksum,termination,expiration',
      'tus-max-size': '5368709120',
      'tus-checksum-algorithm': 'sha1,sha256,sha512,md5',
    });
  });

  test.each(['HEAD', 'PATCH', 'DELETE'] as const)(
    '%s: another version is answered with 412 and Tus-Version, and MUST NOT be processed',
    async (method) => {
      const upload = await begin(100);
      for (const version of [undefined, '0.2.2', '1.0.1', '2.0.0']) {
        const headers = version === undefined ? undefined : { 'tus-resumable': version };
        const reply = await upload.send(method, { headers });
        expect([reply.statusCode, reply.headers['tus-version']]).toEqual([412, '1.0.0']);
      }
      expect(await upload.offset()).toBe(100);
    },
  );

  test('Tus-Resumable MUST be in every response, refusals included', async () => {
    const upload = await begin();
    const replies = [
      await upload.send('HEAD', { headers: tus }),
      await upload.patch(7, some),
      await upload.send('PATCH', { headers: { 'tus-resumable': '0.1' } }),
      await server.call('HEAD', `${upload.addressOf()}x`, { headers: tus }),
    ];
    expect(replies.map(({ headers }) => headers['tus-resumable'])).toEqual(['1.0.0', '1.0.0', '1.0.0', '1.0.0']);
  });

  test('an interrupted file goes on where it was, and is equal in the end', async () => {
    const bytes = randomBytes(300_000);
    const upload = await SentUpload.start(server, ada, [{ file_size: bytes.length }]);
    await upload.patch(0, bytes.subarray(0, 120_001));
    const offset = await upload.offset();
    expect((await upload.patch(offset, bytes.subarray(offset))).headers['upload-offset']).toBe('300000');
    expect(await upload.storedBytes()).toEqual(bytes);
  });
});

describe('checksum', () => {
  test.each(['sha1', 'sha256', 'sha512', 'md5'])('%s: bytes that match are stored', async (algorithm) => {
    const upload = await begin(100);
    const reply = await upload.patch(100, some, { 'upload-checksum': digestOf(algorithm, some) });
    expect([reply.statusCode, reply.headers['upload-offset']]).toEqual([204, '110']);
  });

  test('bytes that do not match are answered with 460, discarded, and the offset stays', async () => {
    const upload = await begin(100);
    const reply = await upload.patch(100, some, { 'upload-checksum': digestOf('sha1', Buffer.from('others')) });
    expect([reply.statusCode, reply.json().error]).toEqual([460, 'checksum_mismatch']);
    expect(await upload.offset()).toBe(100);
    expect((await upload.patch(100, some, { 'upload-checksum': digestOf('sha1', some) })).statusCode).toBe(204);
  });

  test.each(['crc32 AAAAAA==', 'sha1', 'sha1 AAAA', 'SHA1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=', '', 'sha256 %%%'])(
    '%j is an algorithm that is not supported, or no digest: 400',
    async (header) => {
      const upload = await begin();
      expect((await upload.patch(0, some, { 'upload-checksum': header })).statusCode).toBe(400);
      expect(await upload.offset()).toBe(0);
    },
  );

  test('what is longer than 64 MiB cannot have one checksum, and is refused before it is read', async () => {
    const upload = await SentUpload.start(server, ada, [{ file_size: 200_000_000 }]);
    const reply = await upload.patch(0, some, {
      'upload-checksum': digestOf('sha1', some),
      'content-length': String(64 * 1024 * 1024 + 1),
    });
    expect(reply.statusCode).toBe(413);
  });
});

describe('termination', () => {
  test('DELETE: the server SHOULD free the resources and MUST answer 204', async () => {
    const upload = await begin(100);
    expect((await upload.send('DELETE', { headers: tus })).statusCode).toBe(204);
    expect(await upload.storedBytes()).toBeNull();
  });

  test('for all future requests the server answers 410', async () => {
    const upload = await SentUpload.start(server, ada, [{}, {}]);
    await upload.send('DELETE', { headers: tus });
    expect((await upload.send('HEAD', { headers: tus })).statusCode).toBe(410);
    expect((await upload.patch(0, some)).statusCode).toBe(410);
    expect((await upload.send('DELETE', { headers: tus })).statusCode).toBe(410);
    expect(await upload.offset(1)).toBe(0);
  });
});

describe('expiration', () => {
  test('Upload-Expires MUST be in every PATCH response, as a date of RFC 9110', async () => {
    const upload = await begin();
    const expires = String((await upload.patch(0, some)).headers['upload-expires']);
    expect(expires).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    expect(Date.parse(expires)).toBe(Math.floor((clock.now() + 86_400_000) / 1_000) * 1_000);
  });

  test('what has expired is answered with 410; each byte that comes puts that off', async () => {
    const upload = await begin(100);
    clock.pass(20 * 3_600_000);
    await upload.patch(100, some);
    clock.pass(20 * 3_600_000);
    expect(await upload.offset()).toBe(110);
    clock.pass(4 * 3_600_000);
    expect((await upload.patch(110, some)).statusCode).toBe(410);
    expect((await upload.send('HEAD', { headers: tus })).statusCode).toBe(410);
  });

  test('less than a hundredth of what was declared does not put that off, however often it is sent', async () => {
    const upload = await begin(100, await putUploader(server, 'bea'));
    const expires = new Date(Math.floor((clock.now() + 86_400_000) / 1_000) * 1_000).toUTCString();
    for (const offset of [100, 103, 106]) {
      clock.pass(7 * 3_600_000);
      expect((await upload.patch(offset, Buffer.alloc(3))).headers['upload-expires']).toBe(expires);
    }
    clock.pass(3 * 3_600_000);
    expect((await upload.send('HEAD', { headers: tus })).statusCode).toBe(410);
  });
});

describe('what it costs', () => {
  test('HEAD, and PATCH without a body, write nothing while nobody sends', async () => {
    const bob = await putUploader(server, 'bob');
    const [upload, fresh] = [await begin(100, bob), await begin(0, bob)];
    const writes = vi.spyOn(server.services.database, 'write');
    onTestFinished(() => writes.mockRestore());
    const countWrites = async () => {
      writes.mockClear();
      expect([await upload.offset(), (await upload.patch(100, Buffer.alloc(0))).statusCode]).toEqual([100, 204]);
      expect((await upload.patch(99, Buffer.alloc(0))).statusCode).toBe(409);
      expect(await fresh.offset()).toBe(0);
      return writes.mock.calls.length;
    };
    // The server's own sweeps write, too, now and then.
    await expect.poll(countWrites).toBe(0);
  });

  test('a small part takes two transactions', async () => {
    const upload = await begin(100, await putUploader(server, 'cleo'));
    const writes = vi.spyOn(server.services.database, 'write');
    onTestFinished(() => writes.mockRestore());
    await upload.patch(100, some);
    expect(writes.mock.calls.length).toBe(2);
  });

  test('one person has so many requests, with however many keys; others have theirs', async () => {
    const eve = await putUploader(server, 'eve');
    const uploads = [await SentUpload.start(server, eve), await SentUpload.start(server, eve)];
    const admit = ({ session, key }: SentUpload) =>
      server.services.uploads.access.admit(session.files[0]?.address.split('/').at(-1) ?? '', key.accesskey, 'nobody');
    for (let request = 0; request < limits.personCallBurst / 2; request += 1) await Promise.all(uploads.map(admit));
    const refused = await uploads[0]?.send('HEAD', { headers: tus });
    expect([refused?.statusCode, refused?.headers['retry-after']]).toEqual([429, '1']);
    await (await begin(0, await putUploader(server, 'dora'))).offset();
    clock.pass(1_000);
    expect(await uploads[0]?.offset()).toBe(0);
  });
});
