import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { lateMs } from '#server/database/sweep-time.ts';
import { uploadSessionRepository } from '#server/features/uploads/session-repository.ts';
import { Reconciler } from '#server/features/uploads/stored/reconciler.ts';
import { keptMs, uploadRemoval } from '#server/features/uploads/stored/upload-removal.ts';
import { headerVersion } from '#server/media/probe.ts';
import type { FileCalls } from '#server/storage/disk-storage.ts';
import { systemFileCalls } from '#server/storage/disk-storage.ts';
import { putAccount } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { StoredUpload } from '#tests/support/stored-uploads.ts';
import { openUpload, storeUpload, uniqueFilm } from '#tests/support/stored-uploads.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

/** What the disk does instead; nothing: what it should. */
let faults: Partial<FileCalls> = {};
const files: FileCalls = { ...systemFileCalls, remove: (file) => (faults.remove ?? systemFileCalls.remove)(file) };
let server: ServerUnderTest;
let ada: { userId: string; isAdmin: boolean };

beforeAll(async () => {
  server = await startServer({ overrides: { uploads: { files } } }, afterFile);
  ada = { userId: await putAccount(server, 'ada'), isAdmin: false };
});

const reconcile = () => server.services.uploads.reconciler.run();
const store = (bytes?: Buffer) => storeUpload(server, ada.userId, { bytes });

async function videoOf({ file }: StoredUpload) {
  const path = file.split('/').slice(-2).join('/');
  const { reader } = server.services.database;
  return reader.selectFrom('videos').selectAll().where('path', '=', path).executeTakeFirstOrThrow();
}

async function isPlayable(upload: StoredUpload): Promise<boolean> {
  const { path, root_number: rootNumber, available } = await videoOf(upload);
  const place = server.services.places.pathOf({ rootNumber, path });
  const { statusCode } = await server.get(`/api/video/stream?path=${encodeURIComponent(place)}`);
  expect(differences(server.services.idSets, await readTruth(server.services.database))).toEqual([]);
  return available === 1 && statusCode === 200;
}

describe('a video', () => {
  test('whose headers an older version has read is read again, once', async () => {
    const upload = await store();
    const { number, ...facts } = await videoOf(upload);
    await server.services.database.write((transaction) =>
      transaction
        .updateTable('videos')
        .set({ header_version: 0, bit_depth: null, chroma: null, reason: 'codec_hevc', available: 0 })
        .where('number', '=', number)
        .execute(),
    );
    await reconcile();
    expect(await videoOf(upload)).toEqual({ number, ...facts });
    expect(facts).toMatchObject({ header_version: headerVersion, bit_depth: 8, chroma: '4:2:0', needs: 0 });
    expect(await isPlayable(upload)).toBe(true);
  });

  test('whose file is gone is drawn no more, until it is back, under whatever time stamp', async () => {
    const uploads = [await store(), await store()];
    const [one] = uploads as [StoredUpload];
    const videos = dirname(dirname(one.file));
    renameSync(videos, `${videos}-away`);
    await reconcile();
    for (const upload of uploads) {
      expect(await isPlayable(upload)).toBe(false);
      expect((await videoOf(upload)).missing_since).not.toBeNull();
    }
    renameSync(`${videos}-away`, videos);
    copyFileSync(one.file, `${one.file}.copy`);
    renameSync(`${one.file}.copy`, one.file);
    utimesSync(one.file, 1, 1);
    await reconcile();
    for (const upload of uploads) expect(await isPlayable(upload)).toBe(true);
  });

  test('whose file holds other bytes is not played', async () => {
    const bytes = uniqueFilm();
    const upload = await store(bytes);
    for (const other of [bytes.subarray(1), Buffer.from(bytes).fill(0)]) {
      writeFileSync(upload.file, other);
      utimesSync(upload.file, 2, 2);
      await reconcile();
      expect(await isPlayable(upload)).toBe(false);
    }
    writeFileSync(upload.file, bytes);
    await reconcile();
    expect(await isPlayable(upload)).toBe(true);
  });

  test('that is hidden stays so when its file is back, and one that is wrongly available is not', async () => {
    const upload = await storeUpload(server, ada.userId, { needsApproval: true });
    const { number } = await videoOf(upload);
    await server.services.idSets.write(async (transaction, changes) => {
      await transaction.updateTable('videos').set({ available: 1 }).where('number', '=', number).execute();
      changes.put('available', [number], true);
    });
    await reconcile();
    expect((await videoOf(upload)).available).toBe(0);
    renameSync(upload.file, `${upload.file}.away`);
    await reconcile();
    renameSync(`${upload.file}.away`, upload.file);
    await reconcile();
    expect(await videoOf(upload)).toMatchObject({ available: 0, missing_since: null });
    expect(await isPlayable(upload)).toBe(false);
  });

  test('that was removed and whose file was copied can be brought back and plays', async () => {
    const upload = await store();
    await uploadRemoval.delete(server.services.uploads, upload.id, ada);
    utimesSync(upload.file, 3, 3);
    await reconcile();
    await uploadRemoval.restore(server.services.uploads, upload.id, ada.userId);
    expect(await isPlayable(upload)).toBe(true);
  });
});

describe('a file', () => {
  const put = (file: string, days = 0): string => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'bytes');
    const at = (Date.now() - days * 86_400_000) / 1_000;
    utimesSync(file, at, at);
    return file;
  };
  const unknown = () => {
    const id = server.services.ids.long();
    return join(server.services.folders.uploads, 'videos', id.slice(-2), `${id}.mp4`);
  };

  test('that a process left behind which died goes, and what is still wanted stays', async () => {
    const failed = await openUpload(server, ada.userId);
    await server.services.database.write((transaction) =>
      uploadSessionRepository.failFile(transaction, failed.id, 'It failed.', 1),
    );
    // Between the rename and the commit: the next request moves it back.
    const between = await openUpload(server, ada.userId);
    const removed = await store();
    await uploadRemoval.delete(server.services.uploads, removed.id, ada);
    for (const { file } of [failed, between]) put(file);
    const stored = await store();
    await reconcile();
    expect([failed, between, removed, stored].map(({ file }) => existsSync(file))).toEqual([false, true, true, true]);
  });

  test('of which the database has never heard stays as long as what is removed', async () => {
    const kept = (keptMs + lateMs) / 86_400_000;
    const [young, old] = [put(unknown(), kept - 1), put(unknown(), kept + 1)];
    const foreign = ['notes.txt', '00/notes.txt', 'zz/a.mp4'].map((name) =>
      put(join(server.services.folders.uploads, 'videos', name), kept + 1),
    );
    await reconcile();
    expect([young, old, ...foreign].map((file) => existsSync(file))).toEqual([true, false, true, true, true]);
  });

  test('whose removal failed after the commit is removed by the next turn', async () => {
    const upload = await store();
    const { uploads } = server.services;
    await uploadRemoval.delete(uploads, upload.id, ada);
    faults = { remove: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) };
    onTestFinished(() => {
      faults = {};
    });
    await expect(uploadRemoval.purge(uploads, upload.id, ada.userId)).rejects.toThrow('EIO');
    await expect(uploadRemoval.restore(uploads, upload.id, ada.userId)).rejects.toThrow('does not exist');
    expect(existsSync(upload.file)).toBe(true);
    faults = {};
    await reconcile();
    expect(existsSync(upload.file)).toBe(false);
  });

  test('that is removed while two nodes compare disturbs neither', async () => {
    const uploads = [await store(), await store(), await store()];
    const [gone] = uploads as [StoredUpload];
    rmSync(gone.file);
    const other = new Reconciler({ ...server.services.uploads, ...server.services });
    await Promise.all([
      reconcile(),
      other.run(),
      uploadRemoval.delete(server.services.uploads, uploads[1]?.id ?? '', ada),
    ]);
    expect(await videoOf(gone)).toMatchObject({ available: 0 });
    expect(statSync(uploads[1]?.file ?? '').isFile()).toBe(true);
    expect(await isPlayable(uploads[2] as StoredUpload)).toBe(true);
  });
});

test('a start brings them in line, a stop waits for that, and posters that no video has are looked for', async () => {
  const own = await startServer();
  const { uploads, posters, database } = own.services;
  const upload = await storeUpload(own, await putAccount(own, 'ada'));
  rmSync(upload.file);
  const queued: string[] = [];
  posters.queueCleanUp = async () => void queued.push('clean-up');
  await uploads.start();
  await uploads.reconciler.run();
  expect(queued).toEqual(['clean-up', 'clean-up']);
  const [video] = await database.reader.selectFrom('videos').select('available').execute();
  expect(video).toEqual({ available: 0 });
});
