import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { UploadSession } from '#contract/entities/upload.ts';
import { migratedSite } from '../database/test-database.ts';
import { largeVideo } from '../media/videos.ts';
import type { Person } from '../people.ts';
import { startServer } from '../server-under-test.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { putUploader, SentUpload } from '../uploads.ts';
import type { UploadingRun } from './uploading-process.ts';

const script = fileURLToPath(new URL('./uploading-process.ts', import.meta.url));

interface InterruptedOptions {
  /** A file. */
  film?: string;
  env?: Record<string, string>;
}

/** One upload to servers that are killed. */
export class InterruptedUpload {
  readonly film: string;
  private readonly bytes: Buffer;
  private readonly env: Record<string, string>;
  private readonly session: UploadSession;
  private readonly owner: Person;

  private constructor(film: string, env: Record<string, string>, session: UploadSession, owner: Person) {
    this.film = film;
    this.bytes = readFileSync(film);
    this.env = env;
    this.session = session;
    this.owner = owner;
  }

  /** A site on which the session is open. Its server has ended. */
  static async open({ film = largeVideo(), env: more = {} }: InterruptedOptions = {}): Promise<InterruptedUpload> {
    const env = { ...(await migratedSite()), LIBRARY_DIRS: temporaryFolder(), ...more };
    const ends: (() => unknown)[] = [];
    const server = await startServer({ env }, (end) => ends.push(end));
    const owner = await putUploader(server, 'ada');
    const { length } = readFileSync(film);
    const { session } = await SentUpload.start(server, owner, [{ file_size: length }]);
    for (const end of ends) await end();
    return new InterruptedUpload(film, env, session, owner);
  }

  /**
   * A server goes on with it until it is killed.
   * @param watch may kill it, too
   * @returns false when it came to the end before that
   */
  async killAt(kill: UploadingRun['kill'], watch?: (child: ChildProcess) => void): Promise<boolean> {
    const run: UploadingRun = {
      env: this.env,
      address: this.session.files[0]?.address ?? '',
      key: this.session.bunny_access_key,
      sessionId: this.session.session_id,
      film: this.film,
      kill,
    };
    const child = spawn(process.execPath, [script, JSON.stringify(run)], { stdio: ['ignore', 'ignore', 'inherit'] });
    watch?.(child);
    const [, signal] = await once(child, 'exit');
    return signal === 'SIGKILL';
  }

  /** Bytes of the part on the disk, all of which are the film's; null when there is no part. */
  storedBytes(): number | null {
    const part = join(this.env.DATA_DIR ?? '', 'uploads', 'parts', this.session.files[0]?.id ?? '');
    const stored = readOrNull(part);
    if (stored === null) return null;
    expect(stored.equals(this.bytes.subarray(0, stored.length))).toBe(true);
    return stored.length;
  }

  /** The next server, to which a client goes on that has heard of nothing. One row and one file come of it. */
  async finish(): Promise<void> {
    const server = await startServer({ env: this.env });
    await server.services.uploads.start();
    const upload = new SentUpload(server, this.session);
    // None once it has become a video.
    const offset = await upload.offset();
    expect(this.storedBytes() ?? offset).toBe(offset);
    if (offset < this.bytes.length)
      expect((await upload.patch(offset, this.bytes.subarray(offset))).statusCode).toBe(204);
    const completed = (await upload.complete(this.owner)).json();
    expect(completed).toMatchObject({ success: true, videos: [{ size: this.bytes.length }] });
    expect((await server.get(completed.videos[0].url)).rawPayload.equals(this.bytes)).toBe(true);
    const rows = await server.services.database.reader.selectFrom('videos').select('number').execute();
    const files = [];
    for await (const { name } of server.services.uploads.storage.files.list('')) files.push(name);
    expect([rows.length, files.filter((name) => name.startsWith('videos/')).length]).toEqual([1, 1]);
    if (this.env.STORAGE_URL === undefined) expect(files).toHaveLength(1);
  }
}

function readOrNull(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    // There is none.
    return null;
  }
}
