import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { freshDatabase } from '#tests/support/database/test-database.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { isWholeSoak } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { filmOf, putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const rounds = isWholeSoak ? 300 : 20;
const uploads = 20;
const smallestFilm = videoBytes().length + 8;

/**
 * The commit that `LAST_RELEASE` names, else the last one with a tag, else the one before the newest migration; null where
 * the history does not have it.
 */
function findRelease(): string | null {
  const { LAST_RELEASE: named } = process.env;
  if (named !== undefined) return findCommit(named);
  const migrated = () => git('log', '-1', '--format=%H', '--diff-filter=A', '--', 'src/server/database/migrations');
  return (
    attempt(() => findCommit(git('describe', '--tags', '--abbrev=0', '--match', 'v*'))) ??
    attempt(() => findCommit(`${migrated()}^`))
  );
}

function attempt<Result>(act: () => Result): Result | null {
  try {
    return act();
  } catch {
    return null;
  }
}

/** @throws when there is none */
function findCommit(name: string): string {
  return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Puts the files of a commit into a folder, beside the packages that are installed here. */
function checkOut(commit: string): string {
  const folder = temporaryFolder();
  const options = { cwd: project, maxBuffer: 1024 ** 3 };
  const files = execFileSync('git', ['archive', commit, 'package.json', 'src'], options);
  execFileSync('tar', ['--extract', '--directory', folder], { input: files });
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const release = findRelease();

test.runIf(release !== null)(
  'the last release serves beside this version, on the database of this version',
  async () => {
    const library = temporaryFolder();
    putVideos(library, 'a.mp4', 'b.mp4', 'c.mp4', 'd.mp4', 'e.mp4');
    const database = await freshDatabase();
    if (database.kind !== 'postgres') return;
    const site = {
      DATA_DIR: temporaryFolder(),
      DATABASE_URL: database.url,
      LIBRARY_DIRS: library,
      FFMPEG_PATH: '/none',
      DRAIN_SECONDS: '1',
    };
    const before = runServer(site, { version: checkOut(release ?? '') });
    await before.says(/Looked through/);
    const after = runServer(site);
    const addresses = [await before.address(), await after.address()];
    const server = await startServer({ env: site });
    const ada = await putUploader(server, 'ada', 'admin');
    const json = { ...ada.headers, 'content-type': 'application/json' };
    const tag = await server.call('POST', '/api/tags', { headers: json, payload: { name: 'harbour' } });
    const tagId = tag.json().tag.id;

    const failures: string[] = [];
    const call = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(path, init);
      if (!answer.ok) failures.push(`${init.method ?? 'GET'} ${path}: ${answer.status} ${await answer.text()}`);
      else await answer.arrayBuffer();
    };
    for (let round = 0; round < rounds; round += 1) {
      for (const [place, address] of addresses.entries()) {
        await call(`${address}/api/video/top-left`);
        await call(`${address}/api/videos/by-tags?sort_by=name`);
        await call(`${address}/api/video/stream?path=a.mp4`, { headers: { range: 'bytes=10-99' } });
        await call(`${address}/auth/me`, { headers: json });
        const body = JSON.stringify({ tag_ids: [tagId] });
        await call(`${address}/api/videos/b.mp4/tags`, { method: 'POST', headers: json, body });
        await call(`${addresses[1 - place]}/api/videos/b.mp4/tags/${tagId}`, { method: 'DELETE', headers: json });
      }
      // One person may begin only so many uploads in an hour.
      if (round >= uploads) continue;
      const film = filmOf(smallestFilm + round);
      const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
      await call(`${addresses[round % 2]}${upload.addressOf()}`, {
        method: 'PUT',
        headers: { ...upload.key, 'content-type': 'video/mp4' },
        body: new Uint8Array(film),
      });
      await call(`${addresses[(round + 1) % 2]}/api/upload/complete/${upload.id}`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ session_id: upload.id, files: [] }),
      });
    }
    expect(failures).toEqual([]);
    before.kill('SIGTERM');
    expect(await before.ended()).toBe(0);
  },
);
