import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { largeVideoBytes } from '#tests/support/media/large-video.ts';
import { alternate } from '../alternate.ts';
import { printDuels } from '../table.ts';
import { startNginxDav, startTusServer } from './peers.ts';
import { sendFile } from './send.ts';
import { UploadSite } from './upload-site.ts';

const tus = { 'Tus-Resumable': '1.0.0' };
const patch = { ...tus, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };

/**
 * 1 GiB to each of them in turn, over loopback. The product answers once the disk has confirmed every byte; the others do
 * not ask it to.
 */
export async function measureThroughput(folder: string, film: string, rounds: number): Promise<void> {
  const [site, nginx, tusServer] = [
    await UploadSite.start(folder),
    await startNginxDav(folder),
    await startTusServer(folder),
  ];
  const toSite = (method: 'PUT' | 'PATCH') => async () => {
    const [file] = await site.open(largeVideoBytes);
    if (file === undefined) throw new Error('no address');
    const headers = { AccessKey: file.key, ...(method === 'PATCH' ? patch : {}) };
    const ms = await sendFile(film, { method, url: file.url, headers });
    await rm(site.partOf(file));
    return ms;
  };
  const toNginx = async () => {
    const ms = await sendFile(film, { method: 'PUT', url: `${nginx.address}/film.mp4` });
    await rm(join(nginx.folder, 'film.mp4'));
    return ms;
  };
  const toTusServer = async () => {
    const headers = { ...tus, 'Upload-Length': String(largeVideoBytes) };
    const created = await fetch(`${tusServer.address}/files`, { method: 'POST', headers });
    const url = created.headers.get('location') ?? '';
    const ms = await sendFile(film, { method: 'PATCH', url, headers: patch });
    await rm(join(tusServer.folder, url.split('/').at(-1) ?? ''));
    return ms;
  };
  try {
    const [product, peers] = await alternate(
      rounds,
      // Whatever one leaves for the disk to do would fall upon the other.
      async (round) => {
        const [first, second] = round % 2 === 0 ? (['PUT', 'PATCH'] as const) : (['PATCH', 'PUT'] as const);
        const times = { [first]: await toSite(first)(), [second]: await toSite(second)() };
        return { put: times.PUT ?? 0, patch: times.PATCH ?? 0 };
      },
      async () => ({ nginx: await toNginx(), tus: await toTusServer() }),
    );
    const bounds = { goal: 1.25, floor: 2 };
    const [put, patched] = [product.map((times) => times.put), product.map((times) => times.patch)];
    const byNginx = peers.map((times) => times.nginx);
    printDuels('1 GiB over loopback, against nginx with WebDAV', [
      { what: 'by PUT', product: put, peer: byNginx, ...bounds },
      { what: 'by tus', product: patched, peer: byNginx, ...bounds },
    ]);
    printDuels('The same, against @tus/server', [
      { what: 'by tus', product: patched, peer: peers.map((times) => times.tus), goal: 1, floor: 1.5 },
    ]);
  } finally {
    for (const server of [site, nginx, tusServer]) await server.stop();
  }
}
