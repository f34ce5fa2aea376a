import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ArchiveRow } from '#server/backup/archive-format.ts';
import { operatorFiles, toLine } from '#server/backup/archive-format.ts';
import { readOperatorFile } from '#server/backup/archive-reader.ts';
import type { KeptTable } from '#server/backup/backup-repository.ts';
import { backupRepository } from '#server/backup/backup-repository.ts';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { databaseAddress } from '#server/database/database-address.ts';
import { migrate } from '#server/database/migrate.ts';
import type { Migration } from '#server/database/migration.ts';
import { migrations as released } from '#server/database/migrations.ts';
import { shippedPlans } from '#server/features/plans/shipped-plans.ts';
import { freshDatabase, migratedSite } from '../database/test-database.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Where a site is, or is to be. */
export interface Place {
  dataFolder: string;
  address: DatabaseAddress;
}

export const allMigrations = released.map(({ name }) => name);

/** An empty one. @param databaseUrl undefined: SQLite in the folder */
export function placeWith(databaseUrl: string | undefined): Place {
  const dataFolder = temporaryFolder();
  return { dataFolder, address: databaseAddress({ dataFolder, databaseUrl }) };
}

/** On the database of this project. */
export async function emptyPlace(): Promise<Place> {
  const database = await freshDatabase();
  return placeWith(database.kind === 'postgres' ? database.url : undefined);
}

async function migratedPlace(): Promise<Place> {
  const { DATA_DIR: dataFolder, DATABASE_URL: databaseUrl } = await migratedSite();
  return { dataFolder, address: databaseAddress({ dataFolder, databaseUrl }) };
}

/** With a few rows in every table and all files of an operator. @param kind SQLite also in the project of PostgreSQL */
export async function filledPlace(kind?: 'sqlite'): Promise<Place> {
  const place = kind === 'sqlite' ? placeWith(undefined) : await migratedPlace();
  await withDatabase(place, async (database) => {
    await migrate(database, systemClock);
    await fill(database, allMigrations);
  });
  putOperatorFiles(place.dataFolder);
  return place;
}

/** One with two people and the files: for what is done to it a hundred times. */
export async function smallPlace(): Promise<Place> {
  const place = await migratedPlace();
  await withDatabase(place, async (database) => {
    await migrate(database, systemClock);
    const { users = [] } = makeRows();
    await database.write((transaction) => backupRepository.insertRows(transaction, database.dialect, 'users', users));
  });
  putOperatorFiles(place.dataFolder);
  return place;
}

export function putOperatorFiles(dataFolder: string): void {
  mkdirSync(join(dataFolder, 'tls'), { mode: 0o700 });
  for (const [at, name] of operatorFiles.entries())
    writeFileSync(join(dataFolder, name), `${name} ü \u0000 ${'x'.repeat(at * 100)}`);
  writeFileSync(join(dataFolder, 'plans.json'), JSON.stringify({ plans: shippedPlans }));
}

/** Migrated by some of the migrations only: what an older version has left. */
export async function olderPlace(migrations: readonly Migration[]): Promise<Place> {
  const place = await emptyPlace();
  await withDatabase(place, async (database) => {
    await migrate(database, systemClock, migrations);
    await fill(
      database,
      migrations.map(({ name }) => name),
    );
  });
  return place;
}

export async function withDatabase<T>({ address }: Place, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(address);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const text = 'ä 🎬 "quoted"\\ \n\t \u007f end';
const big = 2 ** 53 - 1;
const hash = 'c'.repeat(64);

/** By table, in the order in which they can be put in. Numbers have gaps, as after rows that went. */
function makeRows(): Record<string, ArchiveRow[]> {
  return {
    secrets: [{ name: 'media_urls', value: 'secret of the site', created_at: 1 }],
    settings: [
      { name: 'switch_interval_seconds', value: '45', updated_at: 2 },
      { name: 'nightly_backup', value: '{"latest":null,"failure":null}', updated_at: 3 },
    ],
    library_roots: [
      {
        number: 3,
        name: 'films',
        folder: '/films',
        kind: 'folder',
        active: 1,
        missing_since: null,
        scanned_at: 5,
        created_at: 4,
      },
    ],
    users: ['ann', 'ben'].map((id) => ({
      id,
      username: `${id} ${text}`,
      username_key: id,
      email: `${id}@example.com`,
      email_key: `${id}@example.com`,
      email_verified: 0,
      display_name: null,
      tier: 'admin',
      tier_expires_at: null,
      password_hash: '$argon2id$…',
      eula_version: null,
      settings: '{"blocked_tag_ids":["a"]}',
      revision: 7,
      created_at: 6,
    })),
    videos: Array.from({ length: 700 }, (_, at) => ({
      number: 10 + at * 2,
      id: `video-${at}`,
      root_number: 3,
      path: `${text}/${at}.mp4`,
      filename: `${at}.mp4`,
      size: big - at,
      modified_us: 1_700_000_000_000_000 + at,
      inode: at % 2 === 0 ? null : big,
      fingerprint: at % 3 === 0 ? null : `print-${at}`,
      available: at % 2,
      created_at: at,
    })),
    tags: [20, 21, 29].map((number) => ({
      number,
      id: `tag-${number}`,
      name: `Tag ${number}`,
      name_key: `tag ${number}`,
      description: text,
      color: '#123456',
      active: number === 29 ? 0 : 1,
      root_number: number === 20 ? 3 : null,
      created_at: 8,
    })),
    video_tags: Array.from({ length: 1_100 }, (_, at) => ({
      video_number: 10 + (at % 550) * 2,
      tag_number: at < 550 ? 20 : 21,
    })),
    // A group that was kept, and one that was only found.
    duplicates: [12, 14, 16, 18].map((video_number, at) => ({
      video_number,
      group_number: at < 2 ? 12 : 16,
      search: 'last',
      kept: at < 2 ? 1 : 0,
    })),
    avatars: [{ user_id: 'ann', content: hash, webp: Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 256)) }],
    sessions: [
      {
        id: 's1',
        user_id: 'ann',
        generation: 4,
        rotated_at: 1,
        expires_at: big,
        remembered: 1,
        device: 'TV',
        created_at: 1,
        last_used_at: 2,
      },
    ],
    identities: [{ issuer: 'https://id', subject: '1', provider: 'oidc', user_id: 'ben', email: null, linked_at: 1 }],
    known_devices: [{ user_id: 'ann', viewer_hash: hash, used_at: 1 }],
    attempts: [{ key: 'a', count: 1, blocked_until: 1, forgotten_at: 2 }],
    upload_sessions: [
      {
        id: 'u1',
        user_id: 'ann',
        key_hash: hash,
        state: 'completed',
        tag_ids: '["tag-20"]',
        needs_approval: 0,
        created_at: 1,
        active_at: 2,
      },
    ],
    removed_uploads: [
      {
        id: 'f1',
        user_id: 'ann',
        removed_by: 'ben',
        filename: text,
        size: big,
        video: '{"id":"removed"}',
        tag_ids: '["tag-20"]',
        removed_at: 3,
      },
    ],
    upload_files: ['f1', 'f2'].map((id, position) => ({
      id,
      session_id: 'u1',
      user_id: 'ann',
      position,
      address: id,
      filename: text,
      mime_type: 'video/mp4',
      size: big,
      state: 'completed',
      received: big,
      speed: 0,
      durable: big,
      suspect: 0,
      video_number: position === 0 ? null : 10,
      stored_bytes: big,
      lock_until: 0,
      lock_wanted: 0,
      removed_upload: position === 0 ? 'f1' : null,
      removed_at: position === 0 ? 3 : null,
      created_at: 1,
      completed_at: 2,
    })),
    invitations: [
      {
        id: 'i1',
        token_hash: hash,
        tier: 'pro',
        created_by: 'ann',
        created_at: 1,
        expires_at: 2,
        used_at: null,
        used_by: null,
        revoked_at: null,
      },
    ],
    activities: [{ number: 41, at: 1, actor: 'ann', kind: 'tag_removed', subject: 'x', detail: null }],
    jobs: ['tag-removal', 'poster'].map((kind) => ({
      id: kind,
      kind,
      subject: '29',
      active_key: `${kind}:29`,
      state: 'queued',
      lane: 'light',
      priority: 1,
      run_at: 1,
      attempts: 0,
      attempts_max: 3,
      progress: 0,
      payload: 'null',
      created_at: 1,
    })),
  };
}

/** Tables that an older schema does not have are left out. */
async function fill(database: Database, migrations: readonly string[]): Promise<void> {
  const tables = new Set([...backupRepository.listKeptTables(migrations).map(({ name }) => name), 'attempts']);
  await database.write(async (transaction) => {
    for (const [table, rows] of Object.entries(makeRows()))
      if (tables.has(table)) await backupRepository.insertRows(transaction, database.dialect, table, rows);
    await backupRepository.setLastNumbers(transaction, database.dialect, { videos: 1_408 });
    // The highest ones are gone, and never come back.
    await transaction.deleteFrom('videos').where('number', '>', 1_400).execute();
    await transaction.updateTable('revisions').set({ value: 12 }).execute();
  });
}

/** Rows of an archive's tables as lines, and its files: what has to be the same after a restore. */
export async function describeSite(place: Place, migrations: readonly string[] = allMigrations) {
  const rows: Record<string, string[]> = {};
  await withDatabase(place, async ({ reader }) => {
    for (const table of backupRepository.listKeptTables(migrations)) rows[table.name] = await readAll(reader, table);
  });
  const files: Record<string, string | undefined> = {};
  for (const name of operatorFiles) files[name] = (await readOperatorFile(place.dataFolder, name))?.toString('hex');
  return { rows, files };
}

async function readAll(reader: Database['reader'], table: KeptTable): Promise<string[]> {
  const lines: string[] = [];
  for await (const row of backupRepository.readRows(reader, table)) lines.push(toLine(row));
  return lines;
}

/** Where archives are written to. */
export function archiveName(): string {
  return join(temporaryFolder(onTestFinished), 'site.tar.gz');
}
