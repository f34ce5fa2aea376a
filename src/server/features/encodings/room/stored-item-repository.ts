import { sql } from 'kysely';
import type { Rendition } from '#contract/rules/media/rendition.ts';
import type { Executor } from '../../../database/tables.ts';

/** What can be removed by itself to make room. */
export interface StoredItem {
  videoNumber: number;
  /** Null: sheet of stills and subtitles of a video without an encoding. */
  rendition: Rendition | null;
  /** Names the encoding by its content; null likewise. */
  content: string | null;
  bytes: number;
  /** When it was used last, or made. Epoch milliseconds. */
  usedAt: number;
  /** Without it nothing plays the video. */
  isNeeded: boolean;
}

/** All of them: there are some thousands of encodings in the room that they may have. */
export async function listStoredItems(executor: Executor): Promise<StoredItem[]> {
  return [...(await listEncodingItems(executor)), ...(await listExtraItems(executor))];
}

async function listEncodingItems(executor: Executor): Promise<StoredItem[]> {
  const rows = await executor
    .selectFrom('encodings')
    .innerJoin('videos', 'videos.number', 'encodings.video_number')
    .select(['video_number', 'rendition', 'content', 'bytes', 'used_at', 'videos.reason'])
    .execute();
  const withGrid = new Set(rows.filter(({ rendition }) => rendition === 'grid').map((row) => row.video_number));
  return rows.map(({ video_number: videoNumber, rendition, content, bytes, used_at: usedAt, reason }) => ({
    videoNumber,
    rendition,
    content,
    bytes,
    usedAt,
    // Those who may have no more than a grid need that one.
    isNeeded: reason !== null && (rendition === 'grid' || !withGrid.has(videoNumber)),
  }));
}

async function listExtraItems(executor: Executor): Promise<StoredItem[]> {
  const { rows } = await sql<{ video_number: number; bytes: number; found_at: number }>`
    select extras.video_number, sum(extras.bytes) as bytes, max(found.found_at) as found_at
    from (
      select video_number, bytes from storyboards union all select video_number, bytes from subtitles
      union all select video_number, bytes from subtitles_beside
    ) as extras
    left join media_findings as found on found.video_number = extras.video_number
    where not exists (select 1 from encodings where encodings.video_number = extras.video_number)
    group by extras.video_number`.execute(executor);
  return rows.map((row) => ({
    videoNumber: row.video_number,
    rendition: null,
    content: null,
    bytes: Number(row.bytes),
    usedAt: Number(row.found_at ?? 0),
    isNeeded: false,
  }));
}

/** @returns whether it was there, and had not been used since it was listed */
export async function deleteItem(executor: Executor, item: StoredItem): Promise<boolean> {
  return item.rendition === null ? deleteExtras(executor, item) : deleteEncoding(executor, item);
}

async function deleteEncoding(executor: Executor, { videoNumber, content, usedAt }: StoredItem): Promise<boolean> {
  const rows = await executor
    .deleteFrom('encodings')
    .where('video_number', '=', videoNumber)
    .where('content', '=', content ?? '')
    .where('used_at', '=', usedAt)
    .returning('content')
    .execute();
  return rows.length > 0;
}

/** What was found in the file and beside it is read again when somebody asks for it. */
async function deleteExtras(executor: Executor, { videoNumber }: StoredItem): Promise<boolean> {
  for (const table of ['storyboards', 'subtitles', 'subtitles_beside'] as const)
    await executor.deleteFrom(table).where('video_number', '=', videoNumber).execute();
  await executor
    .deleteFrom('media_findings')
    .where('video_number', '=', videoNumber)
    .where('failure', 'is', null)
    .execute();
  return true;
}
