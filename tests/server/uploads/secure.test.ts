import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:http2';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listen } from '#server/http/pipeline/listen.ts';
import type { Person } from '#tests/support/people.ts';
import { hostWith } from '#tests/support/secure-host.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload } from '#tests/support/uploads.ts';

let server: ServerUnderTest;
let ada: Person;
let session: ClientHttp2Session;

beforeAll(async () => {
  server = await startServer(
    { env: { TLS: 'local' }, overrides: { readHost: () => hostWith('192.168.1.20') } },
    afterFile,
  );
  const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  ada = await putUploader(server, 'ada');
  session = connect(`https://127.0.0.1:${port}`, { ca: server.services.secureOrigin?.local?.authority.toString() });
  session.on('error', () => {});
  await once(session, 'remoteSettings');
});

afterAll(() => session.destroy());

const size = 3_000_000;
const bytes = randomBytes(size);

function put(upload: SentUpload) {
  const stream = session.request({
    ':path': upload.addressOf(),
    ':method': 'PUT',
    'content-length': size,
    ...upload.key,
  });
  stream.on('error', () => {});
  return stream;
}

test('HTTP/2: only who may upload is given a larger window, and the file is whole', async () => {
  expect(session.remoteSettings.initialWindowSize).toBe(65_535);
  const guess = session.request({ ':path': '/api/upload/address/AAAAAAAAAAAAAAAAAAAAAAAA', ':method': 'PUT' });
  guess.end(Buffer.alloc(1_000));
  const [refused] = (await once(guess, 'response')) as [IncomingHttpHeaders];
  expect([refused[':status'], session.remoteSettings.initialWindowSize]).toEqual([404, 65_535]);

  const upload = await SentUpload.start(server, ada, [{ file_size: size }]);
  const sending = put(upload);
  sending.end(bytes);
  const [reply] = (await once(sending, 'response')) as [IncomingHttpHeaders];
  expect([reply[':status'], session.remoteSettings.initialWindowSize]).toEqual([201, 16_777_216]);
  expect((await upload.storedBytes())?.equals(bytes)).toBe(true);
});

test('HTTP/2: a stream that is cut is not taken for a whole file, and what came stays', async () => {
  const upload = await SentUpload.start(server, ada, [{ file_size: size }]);
  const sending = put(upload);
  sending.write(bytes.subarray(0, 100_000));
  await vi.waitFor(async () => expect((await upload.storedBytes())?.length).toBe(100_000), { interval: 5 });
  sending.close();
  expect(await upload.offset()).toBe(100_000);
  expect((await upload.complete(ada)).json()).toMatchObject({ success: false });
});

test('HTTP/1.1 over TLS: no time is set for a whole request', () => {
  expect((server.app.server as Server).requestTimeout).toBe(0);
});
