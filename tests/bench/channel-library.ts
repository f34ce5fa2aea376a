import { sql } from 'kysely';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { tagCount } from './pick-library.ts';

const linksPerVideo = 5;
/** Nothing looks into it. */
export const libraryFolder = '/root';
const wordCount = 400;
const syllables = [
  'ba',
  'lor',
  'mi',
  'ten',
  'sa',
  'quo',
  'ri',
  'den',
  'ka',
  'vel',
  'no',
  'thi',
  'pe',
  'gra',
  'zu',
  'hon',
];

/** Words of two or three syllables, so that many of them share parts. */
export const words = Array.from(
  { length: wordCount },
  (_, index) =>
    `${syllables[index % 16]}${syllables[(index >> 4) % 16]}${index % 3 === 0 ? syllables[(index * 7) % 16] : ''}`,
);

/** A library with names of three words and tags of which some are on every tenth video, on a database of either kind. */
export async function storeChannelLibrary(address: DatabaseAddress, videos: number): Promise<Database> {
  const database = openDatabase(address);
  await migrate(database, systemClock);
  await database.write(async (transaction) => {
    // A million rows at a time take longer than any statement of the product may.
    if (address.kind === 'postgres') await sql`set local statement_timeout = 0`.execute(transaction);
    await sql`create table bench_words (number integer primary key, word text)`.execute(transaction);
    for (const [number, word] of words.entries())
      await sql`insert into bench_words values (${number}, ${word})`.execute(transaction);
    await sql`insert into library_roots (name, folder, kind, active, created_at) values ('root', ${libraryFolder}, 'folder', 1, 1)`.execute(
      transaction,
    );
    await sql`insert into tags (id, name, name_key, description, color, active, created_at)
      with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${sql.lit(tagCount)})
      select 'tag-' || n, 'channel ' || n, 'channel ' || n, '', '#000000', 1, n from counted`.execute(transaction);
    await sql`insert into videos (id, root_number, path, filename, size, modified_us, available, created_at)
      with recursive counted (n) as (select cast(1 as bigint) union all select n + 1 from counted where n < ${sql.lit(videos)})
      select 'video-' || n, 1, n || '.mp4',
        first.word || ' ' || second.word || '_' || third.word || ' ' || n || '.mp4', 1, 1,
        case when n % 50 = 0 then 0 else 1 end, 1
      from counted
      join bench_words as first on first.number = n % ${sql.lit(wordCount)}
      join bench_words as second on second.number = (n / 7) % ${sql.lit(wordCount)}
      join bench_words as third on third.number = (n * 31 / 11) % ${sql.lit(wordCount)}
      order by n`.execute(transaction);
    for (let link = 1; link <= linksPerVideo; link += 1)
      await sql`insert into video_tags (video_number, tag_number)
        select number, 1 + (place * place) / ${sql.lit(tagCount)} from
          (select number, cast((cast(number as bigint) * ${sql.lit(7_919 * link + 2)}) % ${sql.lit(tagCount)} as integer) as place from videos) as placed
        where true on conflict do nothing`.execute(transaction);
    await sql`insert into unindexed_names (video_number) select number from videos order by number`.execute(
      transaction,
    );
  });
  await database.write((transaction) => sql`analyze`.execute(transaction));
  return database;
}
