import type { Insertable } from 'kysely';
import type { Executor, Tables } from '#server/database/tables.ts';
import { nameIndexRepository } from '#server/features/search/name-index-repository.ts';
import type { SetChanges } from '#server/id-sets/set-changes.ts';

/** Rows of playable videos without any files, where only picking matters. @returns their ids */
export async function storeVideos(
  executor: Executor,
  changes: SetChanges,
  count: number,
  facts: Partial<Insertable<Tables['videos']>> = {},
): Promise<string[]> {
  const { number: root_number } = await executor
    .selectFrom('library_roots')
    .select('number')
    .where('active', '=', 1)
    .orderBy('number')
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: count }, (_, index) => newRow(root_number, index, facts));
  const stored = await executor
    .insertInto('videos')
    .values(rows)
    .returning(['number', 'available', 'duration_ms', 'width', 'height'])
    .execute();
  for (const video of stored) {
    changes.put('available', [video.number], video.available === 1);
    changes.putForm(video, { isNew: true });
  }
  await nameIndexRepository.recordNames(
    executor,
    changes,
    stored.map(({ number }) => ({ number })),
  );
  return rows.map((row) => row.id);
}

function newRow(
  root_number: number,
  index: number,
  facts: Partial<Insertable<Tables['videos']>>,
): Insertable<Tables['videos']> {
  const path = `stored-${facts.reason ?? 'fine'}-${index}.mp4`;
  return {
    id: `id-${path}`,
    root_number,
    path,
    filename: path,
    size: 1,
    modified_us: 1,
    available: 1,
    created_at: 1,
    ...facts,
  };
}

/** A tag on some videos. @returns its id */
export async function storeTag(
  executor: Executor,
  changes: SetChanges,
  name: string,
  videoIds: readonly string[] = [],
  active: 0 | 1 = 1,
): Promise<string> {
  const id = `tag-${name}`;
  const { number } = await executor
    .insertInto('tags')
    .values({ id, name, name_key: name.toLowerCase(), description: '', color: '#3B82F6', active, created_at: 1 })
    .returning('number')
    .executeTakeFirstOrThrow();
  for (const videoId of videoIds) {
    const video = await executor
      .selectFrom('videos')
      .select('number')
      .where('id', '=', videoId)
      .executeTakeFirstOrThrow();
    await executor.insertInto('video_tags').values({ video_number: video.number, tag_number: number }).execute();
    changes.add(number, video.number);
  }
  return id;
}
