import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test, vi } from 'vitest';
import { partBytes } from '#server/storage/storage.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import type { ServerProcess } from '#tests/support/processes/server-process.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { openStore } from '#tests/support/storage/swift-store.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { filmOf, putUploader, SentUpload, tus } from '#tests/support/uploads.ts';

const store = await openStore(afterFile);
await store?.makeBucket('films');

const filmBytes = 5 * partBytes + 123_456;
const sentBeforeKill = 2 * partBytes + 3_000_000;
/** A part that travels, one that is collected, and what lies in the connection. */
const mostSentAgain = 3 * partBytes;

test.runIf(store !== null)(
  'two nodes in turn take one upload, one of which is killed in the middle of a part, and lose nothing',
  async () => {
    if (store === null) return;
    const site = { ...(await migratedSite()), STORAGE_URL: store.url('films/nodes'), STORAGE_SECRET: store.secret };
    const env = { ...site, LIBRARY_DIRS: temporaryFolder(), DERIVED_GB: '1' };
    // Another node of the site, with which the session is begun.
    const server = await startServer({ env: { ...env, DATA_DIR: temporaryFolder() } });
    const ada = await putUploader(server, 'ada');
    const film = filmOf(filmBytes);
    const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
    const [address, key] = [upload.addressOf(), upload.key.accesskey];
    const runNode = () => runServer({ ...env, DATA_DIR: temporaryFolder() });
    const nodes: [ServerProcess, ServerProcess] = [runNode(), runNode()];
    let acknowledged = 0;

    /** The offset by the next node; one that holds the lock may just have died. */
    const offsetAt = (node: ServerProcess) =>
      vi.waitFor(async () => {
        const reply = await fetch(`${await node.address()}${address}`, {
          method: 'HEAD',
          headers: { ...tus, accesskey: key },
        });
        expect(reply.status).toBe(200);
        return Number(reply.headers.get('upload-offset'));
      });
    const patch = async (node: ServerProcess, bytes: number) => {
      const offset = await offsetAt(node);
      expect(offset).toBeGreaterThanOrEqual(acknowledged);
      const reply = await fetch(`${await node.address()}${address}`, {
        method: 'PATCH',
        headers: headersOf(key, offset),
        body: new Uint8Array(film.subarray(offset, offset + bytes)),
      });
      expect(reply.status).toBe(204);
      acknowledged = Number(reply.headers.get('upload-offset'));
      expect(acknowledged).toBe(Math.min(film.length, offset + bytes));
    };

    for (const bytes of [1_000_000, 2_000_000, partBytes]) {
      await patch(nodes[0], bytes);
      await patch(nodes[1], 700_000);
    }
    const begun = acknowledged;
    const sending = request(`${await nodes[0].address()}${address}`, {
      method: 'PATCH',
      headers: { ...headersOf(key, begun), 'content-length': film.length - begun },
      agent: false,
    });
    sending.on('error', () => {});
    for (let at = begun; at < begun + sentBeforeKill; at += 65_536)
      if (!sending.write(film.subarray(at, Math.min(at + 65_536, begun + sentBeforeKill))))
        await once(sending, 'drain');
    nodes[0].kill('SIGKILL');
    await nodes[0].ended();
    const reached = await offsetAt(nodes[1]);
    expect(reached).toBeGreaterThanOrEqual(begun);
    expect(begun + sentBeforeKill - reached).toBeLessThanOrEqual(mostSentAgain);
    acknowledged = reached;
    nodes[0] = runNode();
    for (let turn = 0; acknowledged < film.length; turn += 1) await patch(nodes[(turn % 2) as 0 | 1], partBytes - 1);

    const [video] = (await upload.complete(null)).json().videos;
    for (const node of nodes) {
      const reply = await fetch(`${await node.address()}${video.url}`);
      expect(sumOf(Buffer.from(await reply.arrayBuffer()))).toBe(sumOf(film));
    }
    expect(await server.services.database.reader.selectFrom('videos').select('number').execute()).toHaveLength(1);
  },
);

function headersOf(key: string, offset: number): Record<string, string> {
  const type = 'application/offset+octet-stream';
  return { ...tus, accesskey: key, 'content-type': type, 'upload-offset': String(offset) };
}

function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
