import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { encodeSet } from '#server/id-sets/bits.ts';
import type { LiveSets } from '#server/id-sets/live-sets.ts';
import { setRepository } from '#server/id-sets/set-repository.ts';
import { tagCount } from './pick-library.ts';

/** The product's own tables in a file of their own. */
export interface StoredLibrary {
  file: string;
  remove(): void;
}

export async function createStoredLibrary(): Promise<StoredLibrary> {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-bench-'));
  const file = join(folder, 'library.sqlite');
  const database = openDatabase({ kind: 'sqlite', file });
  await migrate(database, systemClock);
  await database.close();
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Rows for what the sets hold. */
export function storeRows({ file }: StoredLibrary, sets: LiveSets, videos: number): void {
  const database = new Sqlite(file);
  database.pragma('synchronous = off');
  database.pragma('cache_size = -400000');
  database.exec(
    `insert into library_roots (name, folder, kind, active, created_at) values ('root', '/root', 'folder', 1, 1)`,
  );
  database.exec(`with recursive row (number) as (select 1 union all select number + 1 from row where number < ${videos})
    insert into videos (id, root_number, path, filename, size, modified_us, available, created_at) select 'video-' || number, 1, number || '.mp4', number || '.mp4', 1, 1, 0, 1 from row`);
  const setAvailable = database.prepare('update videos set available = 1 where number = ?');
  const addTag = database.prepare(
    `insert into tags (id, name, name_key, description, color, active, created_at) values (?, ?, ?, '', '#000000', 1, 1)`,
  );
  const addLink = database.prepare('insert into video_tags (video_number, tag_number) values (?, ?)');
  database.transaction(() => {
    for (const number of sets.of('available').bits) setAvailable.run(number);
    for (let tag = 1; tag <= tagCount; tag += 1) {
      addTag.run(`tag-${tag}`, `tag-${tag}`, `tag-${tag}`);
      for (const number of sets.of(tag).bits) addLink.run(number, tag);
    }
  })();
  database.exec('analyze');
  database.close();
}

export async function storeSets({ file }: StoredLibrary, sets: LiveSets): Promise<void> {
  const database = openDatabase({ kind: 'sqlite', file });
  await database.write(async (transaction) => {
    for (const { key, bits } of sets.all())
      await setRepository.storeSnapshot(transaction, { key, seq: 1, cardinality: bits.size, bits: encodeSet(bits) });
    await transaction.updateTable('set_counter').set({ seq: 1 }).execute();
    await setRepository.recordStored(transaction, 1);
    await setRepository.recordBuilt(transaction);
  });
  await database.close();
}

/** What one writes first: all that matches, in random order, the first of it. @returns milliseconds */
export function openNaivePick({ file }: StoredLibrary, blocked: readonly number[]): { run(): number; close(): void } {
  const database = new Sqlite(file, { readonly: true });
  database.pragma('cache_size = -400000');
  const query = database.prepare(
    `select number from videos where available = 1
       and number not in (select video_number from video_tags where tag_number in (${blocked.join()}))
     order by random() limit 1`,
  );
  return {
    run() {
      const start = performance.now();
      query.get();
      return performance.now() - start;
    },
    close: () => database.close(),
  };
}
