import { sql } from 'kysely';
import type { Executor } from '../../../database/tables.ts';
import type { EncodableVideo } from '../encodable-repository.ts';
import { encodable, hasNotFailed, toEncodable } from '../encodable-repository.ts';

const day = 24 * 3_600_000;

/** Adds to the picks of videos; those that are gone are left out. */
export async function addPicks(executor: Executor, picks: ReadonlyMap<number, number>, now: number): Promise<void> {
  for (const [number, count] of picks)
    await sql`insert into encoding_demand (video_number, picks, counted_at)
      select number, ${count}, ${now} from videos where number = ${number}
      on conflict (video_number) do update set picks = encoding_demand.picks + ${count}`.execute(executor);
}

/** Somebody waits for a video. */
export async function noteWaiting(executor: Executor, videoNumber: number, now: number): Promise<void> {
  await sql`insert into encoding_demand (video_number, picks, waited_at, counted_at)
    select number, 0, ${now}, ${now} from videos where number = ${videoNumber}
    on conflict (video_number) do update set waited_at = ${now}`.execute(executor);
}

/** Null: nobody has. */
export async function readWaitedAt(executor: Executor, videoNumber: number): Promise<number | null> {
  const row = await executor
    .selectFrom('encoding_demand')
    .select('waited_at')
    .where('video_number', '=', videoNumber)
    .executeTakeFirst();
  return row?.waited_at ?? null;
}

/** Picks of yesterday count half; what nobody picks any more is forgotten. */
export async function halvePicks(executor: Executor, now: number): Promise<void> {
  await sql`update encoding_demand set picks = picks / 2, counted_at = counted_at + ${day}
    where counted_at <= ${now - day}`.execute(executor);
  await sql`delete from encoding_demand
    where picks = 0 and (waited_at is null or waited_at <= ${now - day})`.execute(executor);
}

/** A video that plays, and is picked. */
export interface PopularVideo extends EncodableVideo {
  picks: number;
}

/** Those without a `grid` that are picked most. */
export async function listPopular(executor: Executor, limit: number): Promise<PopularVideo[]> {
  const rows = await encodable(executor)
    .innerJoin('encoding_demand', 'encoding_demand.video_number', 'videos.number')
    .selectAll('videos')
    .select('encoding_demand.picks')
    .where('encoding_demand.picks', '>', 0)
    .where(hasNotFailed)
    .where(hasNoGrid)
    .orderBy('encoding_demand.picks', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ picks, ...row }) => ({ ...toEncodable(row), picks }));
}

const hasNoGrid = sql<boolean>`not exists (
  select 1 from encodings as made
  where made.video_number = videos.number and made.rendition = 'grid'
    and made.size = videos.size and made.modified_us = videos.modified_us
)`;
