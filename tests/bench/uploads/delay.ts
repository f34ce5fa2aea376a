import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { alternate } from '../alternate.ts';
import { printDuels } from '../table.ts';
import { sendFile } from './send.ts';
import { UploadSite } from './upload-site.ts';

const oneWayMs = 50;
const sentBytes = 128 * 1024 * 1024;

interface Helper {
  port: number;
  stop(): void;
}

async function startHelper(script: string, ...args: string[]): Promise<Helper> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), args);
  const [port] = (await once(child, 'message')) as [number];
  return { port, stop: () => child.disconnect() };
}

/**
 * 128 MiB over a way of 100 ms there and back, against what curl itself can send that way to a server that throws it
 * away.
 */
export async function measureDelay(folder: string, rounds: number): Promise<void> {
  const film = join(folder, 'short.mp4');
  await writeLargeVideo(film);
  await truncate(film, sentBytes);
  const files = ['cert.pem', 'key.pem'].map((name) => join(folder, name));
  const [cert = '', key = ''] = files;
  const making = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  execFileSync('openssl', [...making, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const site = await UploadSite.start(folder, { TLS_CERT_FILE: cert, TLS_KEY_FILE: key });
  const sink = await startHelper('./sink-process.ts', cert, key);
  const ways = await Promise.all(
    [Number(new URL(site.url).port), sink.port].map((port) =>
      startHelper('./long-way-process.ts', String(port), String(oneWayMs)),
    ),
  );
  const [toSite, toSink] = ways.map(({ port }) => `https://127.0.0.1:${port}`);
  try {
    const duels = [];
    for (const version of ['1.1', '2']) {
      const options = [`--http${version}`];
      const [product, peer] = await alternate(
        rounds,
        async () => {
          const [file] = await site.open(sentBytes);
          if (file === undefined) throw new Error('no address');
          const url = `${toSite}${new URL(file.url).pathname}`;
          const ms = await sendFile(film, { method: 'PUT', url, headers: { AccessKey: file.key }, options });
          await rm(site.partOf(file));
          return ms;
        },
        () => sendFile(film, { method: 'PUT', url: `${toSink}/film.mp4`, options }),
      );
      duels.push({ what: `by PUT over HTTP/${version}`, product, peer, goal: 1.11, floor: 2 });
    }
    printDuels('128 MiB with 100 ms of delay, against curl’s own speed', duels);
  } finally {
    for (const helper of [...ways, sink]) helper.stop();
    await site.stop();
  }
}
