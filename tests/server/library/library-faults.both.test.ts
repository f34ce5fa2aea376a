import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { Database } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import type { LibraryFiles } from '#server/features/library/library-files.ts';
import { diskFiles } from '#server/features/library/library-files.ts';
import type { ServedRoot } from '#server/features/library/root-repository.ts';
import { rootRepository } from '#server/features/library/root-repository.ts';
import type { ScanListener } from '#server/features/library/scan/library-scan.ts';
import { scanLibrary } from '#server/features/library/scan/library-scan.ts';
import type { ScanTools } from '#server/features/library/scan/scan-run.ts';
import { createRecordingWrite } from '#server/features/library/scan/scan-run.ts';
import { createIds } from '#server/ids.ts';
import { readFile } from '#server/media/file-reading.ts';
import { fileVersionOf } from '#server/storage/open-for-reading.ts';
import { migratedDatabase } from '#tests/support/database/test-database.ts';
import { film, info, pictureTrack, video } from '#tests/support/media/ebml-film.ts';
import { putFile, putVideos, smallVideo } from '#tests/support/media/videos.ts';
import { tryFaultPoints } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const deaf: ScanListener = { onProgress: () => {}, onFolder: () => {}, onReplaced: () => {}, onWarning: () => {} };

/** Fails one call of all those that go to the disk or to the database, counted together. */
class Trap {
  calls = 0;
  #at = Number.POSITIVE_INFINITY;
  #code = '';

  set(at: number, code = 'EIO'): void {
    this.calls = 0;
    this.#at = at;
    this.#code = code;
  }

  pass<T>(go: () => T): T {
    this.calls += 1;
    if (this.calls === this.#at)
      throw Object.assign(new Error(`${this.#code}: injected`), { code: this.#code, syscall: 'injected' });
    return go();
  }
}

interface Scene {
  folder: string;
  database: Database;
  root: ServedRoot;
  trap: Trap;
  scan(): Promise<unknown>;
}

async function openScene(put: (folder: string) => void, folder = temporaryFolder()): Promise<Scene> {
  const database = openDatabase(await migratedDatabase());
  onTestFinished(() => database.close());
  await migrate(database, systemClock);
  put(folder);
  await database.write((transaction) =>
    rootRepository.add(transaction, { name: 'library', folder, kind: 'folder' }, 1),
  );
  const [root] = await rootRepository.list(database.reader);
  if (root === undefined) throw new Error('There is no root.');
  const trap = new Trap();
  const tools = trapped(database, trap);
  const request = () => ({
    roots: [root],
    demoChannelsFile: '',
    ownFolders: [],
    now: systemClock.now(),
    listedSince: null,
    foldersElsewhere: [],
  });
  return {
    folder,
    database,
    root,
    trap,
    scan: () => scanLibrary(tools, request(), deaf, new AbortController().signal),
  };
}

function trapped(database: Database, trap: Trap): ScanTools {
  const files: LibraryFiles = {
    list: (folder) => trap.pass(() => diskFiles.list(folder)),
    look: (file) => trap.pass(() => diskFiles.look(file)),
    follow: (file) => trap.pass(() => diskFiles.follow(file)),
    realPath: (file) => trap.pass(() => diskFiles.realPath(file)),
    isRemote: (folder) => trap.pass(() => diskFiles.isRemote(folder)),
  };
  const write = createRecordingWrite(database, () => {});
  return {
    reader: database.reader,
    write: (work) => trap.pass(() => write(work)),
    ids: createIds(systemClock),
    files,
    headers: { read: async (paths) => trap.pass(() => paths.map((path) => readFile(path))) },
  };
}

const listVideos = ({ database }: Scene) =>
  database.reader.selectFrom('videos').selectAll().orderBy('number').execute();

/** U2: whatever is offered is on the disk, whole, as it was scanned. */
async function expectOnlyWhole(scene: Scene): Promise<void> {
  for (const video of (await listVideos(scene)).filter(({ available }) => available === 1)) {
    const facts = statSync(join(scene.folder, video.path), { bigint: true, throwIfNoEntry: false });
    // What has changed since is refused when somebody wants to have it; see `isScannedFile`.
    if (facts === undefined || fileVersionOf(facts).modifiedUs !== video.modified_us) continue;
    expect(readFile(join(scene.folder, video.path)).probe.reason).toBeNull();
  }
}

const codes = ['EIO', 'EROFS', 'EMFILE', 'ESTALE', 'ENOMEM'];

describe('a scan during which one call fails', () => {
  test('keeps every video, offers nothing half, and is mended by the next one, whichever call it is', async () => {
    const names = Array.from(
      { length: 14 },
      (_, index) => `${['', 'one/', 'two/', 'two/deep/'][index % 4]}video-${index}.mp4`,
    );
    const scene = await openScene((folder) => {
      putVideos(folder, ...names);
      for (let index = 0; index < 80; index += 1) putFile(folder, `plain/${index}.mp4`, `no video ${index}`);
    });
    const whole = readFileSync(smallVideo(3));
    await scene.scan();
    const before = await listVideos(scene);
    let isMoved = false;
    const calls = await tryFaultPoints(12, async (point) => {
      const at = point + 1;
      const [here, there] = isMoved ? ['one/moved.mp4', 'video-0.mp4'] : ['video-0.mp4', 'one/moved.mp4'];
      isMoved = !isMoved;
      renameSync(join(scene.folder, here), join(scene.folder, there));
      writeFileSync(join(scene.folder, 'growing.mp4'), whole.subarray(0, 500 + at));
      utimesSync(join(scene.folder, 'two/video-2.mp4'), at, at);
      scene.trap.set(at, codes[at % codes.length]);
      await scene.scan().catch((error: Error) => expect(error.message).toMatch(/injected/));
      const hasFailed = scene.trap.calls >= at;
      await expectOnlyWhole(scene);
      scene.trap.set(Number.POSITIVE_INFINITY);
      await scene.scan();
      const after = await listVideos(scene);
      // U1: numbers and ids stay, also that of the file that goes to and fro.
      expect(after.slice(0, before.length).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
      expect(after.length).toBe(before.length + 1);
      expect(after.filter(({ available }) => available === 1).length).toBe(names.length);
      expect(after.find(({ id }) => id === before.find(({ path }) => path === 'video-0.mp4')?.id)).toMatchObject({
        path: there,
        available: 1,
      });
      return hasFailed;
    });
    expect(calls).toBeGreaterThan(100);
  });

  test('of a folder leaves what is in it as it was', async () => {
    const scene = await openScene((folder) => putVideos(folder, 'a.mp4', 'shows/b.mp4', 'shows/deep/c.mp4'));
    await scene.scan();
    const before = await listVideos(scene);
    // 1: the root's real path; 2: its kind; 3: whether it is empty; 4: its names; 5: a.mp4; 6: the names in shows.
    scene.trap.set(6);
    expect(await scene.scan()).toMatchObject({ found: 1, vanished: 0, unread: 1 });
    expect(await listVideos(scene)).toEqual(before);
  });
});

test('files that claim a time, a size or a length beyond all measure are listed, and leave the rest of the library as it is', async () => {
  const scene = await openScene((folder) => {
    putVideos(folder, 'good.mp4', 'far-future.mp4');
    putFile(folder, 'endless.webm', film([pictureTrack()], info(1e300)));
    putFile(folder, 'no-number.webm', film([pictureTrack()], info(Number.NaN)));
    putFile(folder, 'wide.webm', film([pictureTrack('V_VP9', video(0xffffffff, 0xffffffff))]));
  }, folderWithAnyTime());
  utimesSync(join(scene.folder, 'far-future.mp4'), 1e13, 1e13);
  await scene.scan();
  const videos = await listVideos(scene);
  expect(
    Object.fromEntries(
      videos.map(({ path, reason, duration_ms, width }) => [path, [reason, duration_ms === null, width === null]]),
    ),
  ).toEqual({
    'endless.webm': ['damaged', true, false],
    'far-future.mp4': [null, false, false],
    'good.mp4': [null, false, false],
    'no-number.webm': ['damaged', true, false],
    'wide.webm': ['picture_size', false, true],
  });
  expect(await scene.scan()).toMatchObject({ found: 5, playable: 2 });
  expect(await listVideos(scene)).toEqual(videos);
});

/** Some file systems cut a time that is far ahead; one in memory keeps it. */
function folderWithAnyTime(): string {
  const memory = '/dev/shm';
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'fourfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
