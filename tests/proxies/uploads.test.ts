import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as tus from 'tus-js-client';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { listen } from '#server/http/pipeline/listen.ts';
import { ensurePackages } from '#tests/support/debian-packages.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { filmOf, putUploader, SentUpload } from '#tests/support/uploads.ts';
import type { Certificate } from './proxies.ts';
import { makeCertificate, proxyNames, ReverseProxy } from './proxies.ts';
import { findBlock, replaceAll } from './readme-blocks.ts';

const run = promisify(execFile);
const folder = temporaryFolder(afterFile);
let server: ServerUnderTest;
let serverPort: number;
let certificate: Certificate;
let ada: Person;

beforeAll(async () => {
  await ensurePackages(['nginx', 'caddy', 'curl', 'jq', 'openssl']);
  certificate = makeCertificate(folder);
  server = await startServer({ env: { TRUST_PROXY: 'on' } }, afterFile);
  serverPort = await listen(server.app, { host: '127.0.0.1', port: 0 });
  ada = await putUploader(server, 'ada');
}, 300_000);

let films = 0;

/** A file of this many bytes that plays, and is no other. */
function makeFilm(bytes: number): { file: string; content: Buffer } {
  const content = filmOf(bytes);
  films += 1;
  const file = join(folder, `film-${films}.mp4`);
  writeFileSync(file, content);
  return { file, content };
}

/** The README's own commands. @returns what the last of them said */
async function sendByCurl(proxy: ReverseProxy, file: string, options: string): Promise<unknown> {
  const commands = replaceAll(findBlock('sh', 'curl -T'), [
    [/^SITE=.*\n/, ''],
    ['curl -T', `curl -s ${options} -T`],
    [/\ncurl "/, '\ncurl -s "'],
  ]);
  const env = {
    PATH: process.env.PATH,
    CURL_CA_BUNDLE: certificate.cert,
    SITE: proxy.address,
    FILE: file.slice(folder.length + 1),
    TOKEN: ada.accessToken,
  };
  const { stdout } = await run('sh', ['-ec', commands], { cwd: folder, env });
  return JSON.parse(stdout);
}

interface Resumed {
  /** Bytes that the server had when the client came back. */
  offsets: number[];
}

/** What the README says of tus-js-client; `cut` is called once a twentieth has left. */
async function sendByTus(
  proxy: ReverseProxy,
  upload: SentUpload,
  content: Buffer,
  { chunkSize, cut }: { chunkSize?: number; cut?: () => Promise<void> } = {},
): Promise<Resumed> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const offsets: number[] = [];
  let isCut = cut === undefined;
  new tus.Upload(content, {
    uploadUrl: `${proxy.address}${upload.addressOf()}`,
    headers: { AccessKey: upload.key.accesskey },
    retryDelays: [0, 100, 500, 1_000, 1_000, 1_000],
    httpStack: new tus.DefaultHttpStack({ ca: readFileSync(certificate.cert) }),
    ...(chunkSize === undefined ? {} : { chunkSize }),
    onProgress: (sent) => {
      if (isCut || sent < content.length / 20) return;
      isCut = true;
      void cut?.();
    },
    onAfterResponse: (request, response) => {
      if (request.getMethod() === 'HEAD') offsets.push(Number(response.getHeader('Upload-Offset')));
    },
    onSuccess: () => resolve(),
    onError: reject,
  }).start();
  await promise;
  return { offsets };
}

async function expectVideo(upload: SentUpload, content: Buffer): Promise<void> {
  const completed = (await upload.complete(ada)).json();
  expect(completed).toMatchObject({ success: true, videos: [{ size: content.length }] });
  expect((await server.get(completed.videos[0].url)).rawPayload.equals(content)).toBe(true);
}

const openSession = (content: Buffer) => SentUpload.start(server, ada, [{ file_size: content.length }]);

describe.each(proxyNames)('behind %s as the README configures it', (name) => {
  let proxy: ReverseProxy;

  beforeAll(async () => {
    proxy = await ReverseProxy.start(name, { serverPort, certificate }, afterFile);
  }, 60_000);

  test.each(['--http1.1', '--http2'])('the README’s commands send a file with %s', async (option) => {
    const { file, content } = makeFilm(30_000_000);
    expect(await sendByCurl(proxy, file, option)).toMatchObject({
      success: true,
      videos: [{ size: content.length }],
    });
  });

  test('tus-js-client goes on by itself after the proxy has ended and come back', async () => {
    const { content } = makeFilm(150_000_000);
    const upload = await openSession(content);
    const { offsets } = await sendByTus(proxy, upload, content, {
      cut: async () => {
        await proxy.stop();
        await proxy.run();
      },
    });
    expect([offsets.length > 1, offsets.at(0), (offsets.at(-1) ?? 0) > 0]).toEqual([true, 0, true]);
    await expectVideo(upload, content);
  });

  test('bytes reach the server while they come, and not once all of them lie on the proxy’s disk', async () => {
    const { file, content } = makeFilm(20_000_000);
    const upload = await openSession(content);
    const headers = ['-H', `AccessKey: ${upload.key.accesskey}`, '-H', 'Expect:'];
    const sending = run('curl', [
      ...['-s', '--cacert', certificate.cert, '--limit-rate', '10M', ...headers],
      ...['-T', file, `${proxy.address}${upload.addressOf()}`],
    ]);
    const stored = async () => (await upload.storedBytes())?.length ?? 0;
    await vi.waitFor(async () => expect(await stored()).toBeGreaterThan(0), { timeout: 10_000, interval: 20 });
    expect(await stored()).toBeLessThan(content.length);
    await sending;
    await expectVideo(upload, content);
  });

  test('what is larger than was declared is refused in words of the product', async () => {
    const { content } = makeFilm(2_000_000);
    const upload = await SentUpload.start(server, ada, [{ file_size: 1_000_000 }]);
    writeFileSync(join(folder, 'large.mp4'), content);
    const { stdout } = await run('curl', [
      ...['-s', '--cacert', certificate.cert, '-H', `AccessKey: ${upload.key.accesskey}`],
      ...['-T', join(folder, 'large.mp4'), `${proxy.address}${upload.addressOf()}`],
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ error: 'too_large' });
  });
});

describe('behind a proxy that caps bodies', () => {
  const caps = {
    nginx: (text: string) => replaceAll(text, [['client_max_body_size 0', 'client_max_body_size 1m']]),
    caddy: (text: string) =>
      replaceAll(text, [['reverse_proxy', 'request_body {\n    max_size 1MiB\n  }\n  reverse_proxy']]),
  };

  test.each(proxyNames)('%s: a whole file is refused, and one in parts of a megabyte comes', async (name) => {
    const proxy = await ReverseProxy.start(name, { serverPort, certificate, change: caps[name] }, afterFile);
    const { file, content } = makeFilm(3_500_000);
    const upload = await openSession(content);
    const refused = await run('curl', [
      ...['-s', '--http1.1', '-o', '/dev/null', '-w', '%{http_code}', '--cacert', certificate.cert],
      ...['-H', `AccessKey: ${upload.key.accesskey}`, '-T', file, `${proxy.address}${upload.addressOf()}`],
    ]).catch((error: { stdout: string }) => error);
    // Caddy says that its way to the server broke.
    expect(refused.stdout).toBe(name === 'nginx' ? '413' : '502');
    expect(await upload.offset()).toBeLessThan(content.length);
    await sendByTus(proxy, upload, content, { chunkSize: 1_000_000 });
    await expectVideo(upload, content);
  });
});
