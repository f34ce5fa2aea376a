import type { DuplicateList, DuplicateVideo } from '#contract/entities/duplicate.ts';
import { limits } from '#contract/limits.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { jobRepository } from '../../jobs/job-repository.ts';
import { fileIdOf } from '../uploads/upload-file.ts';
import { posterRepository } from '../videos/poster-repository.ts';
import { posterUrl } from '../videos/stills.ts';
import type { PathResolver } from '../videos/video.ts';
import { titleOf } from '../videos/video.ts';
import { likenessOf } from './alike.ts';
import type { DuplicateRow, UploadEntry } from './duplicate-repository.ts';
import { duplicateRepository } from './duplicate-repository.ts';
import { duplicatesKind } from './duplicates.ts';

interface ListDeps {
  database: Database;
  places: Pick<PathResolver, 'pathOf'>;
}

/** Lists groups of duplicates, those that take most room first, for an administrator. */
export async function readDuplicates(
  { database: { reader }, places }: ListDeps,
  { page, limit }: { page: number; limit: number },
  actorId: string,
): Promise<DuplicateList> {
  const total = await duplicateRepository.countGroups(reader);
  const range = { limit, offset: (page - 1) * limit };
  const groups = await duplicateRepository.listGroups(reader, range);
  const groupNumbers = groups.map(({ number }) => number);
  const rows = await duplicateRepository.listMembers(reader, groupNumbers, limits.duplicatesShown);
  const videos = rows.map(({ video }) => video);
  const numbers = videos.map(({ number }) => number);
  const posters = await posterRepository.findMany(reader, videos);
  const tags = await duplicateRepository.listTags(reader, numbers);
  const entries = await duplicateRepository.listEntries(reader, numbers);

  const toReply = (row: DuplicateRow, first: DuplicateRow): DuplicateVideo => {
    const { video, content, still } = row;
    return {
      id: video.id,
      path: places.pathOf(video),
      title: titleOf(video),
      poster_url: posterUrl(video.id, posters.get(video.number)),
      size: video.size,
      duration: video.durationMs === null ? null : video.durationMs / 1000,
      width: video.width,
      height: video.height,
      video_codec: row.videoCodec,
      created_at: new Date(row.createdAt).toISOString(),
      tags: tags.filter((tag) => tag.of === video.number).map(({ id, name }) => ({ id, name })),
      is_copy: content !== null && content === first.content,
      likeness: still === null || first.still === null ? null : likenessOf(first.still, still),
      upload: toUpload(
        row,
        entries.filter((entry) => entry.of === video.number),
        actorId,
      ),
    };
  };

  return {
    groups: groups.flatMap(({ number, count }) => {
      const members = rows.filter((row) => row.groupNumber === number);
      const [first] = members;
      if (first === undefined) return [];
      return [{ id: first.video.id, count, videos: members.map((row) => toReply(row, first)) }];
    }),
    search: await readSearch(reader),
    total,
    total_pages: lastPageOf(total, limit),
    page,
    limit,
  };
}

/**
 * Takes the group of a video off the list, because its videos are not the same, or lists it again.
 * A video that a later search adds to the group lists it again, too.
 * @throws NotFound for a video without duplicates
 */
export async function keepDuplicates(database: Database, id: string, isKept: boolean): Promise<void> {
  const mark = (transaction: Executor) => duplicateRepository.markKept(transaction, id, isKept);
  if (!(await database.write(mark))) throw new NotFound('video');
}

/**
 * The entry by which an administrator removes the video for everybody: one of another person, or
 * the only one. Null if there is none, and for files of the library.
 */
function toUpload(
  { video, isUpload }: DuplicateRow,
  entries: readonly UploadEntry[],
  actorId: string,
): DuplicateVideo['upload'] {
  const only = entries.length === 1 ? entries[0] : undefined;
  const entry = entries.find(({ userId }) => userId !== actorId) ?? only;
  return isUpload && entry !== undefined ? { entry: entry.id, stored: fileIdOf(video.path) } : null;
}

async function readSearch(reader: Executor): Promise<DuplicateList['search']> {
  const kind = duplicatesKind;
  const [newest] = await jobRepository.list(reader, { kind }, { limit: 1, offset: 0 });
  const ended = await jobRepository.findLastEnded(reader, kind, 'done');
  const finishedAt = ended?.finishedAt ?? null;
  return {
    is_running: newest?.state === 'queued' || newest?.state === 'running',
    progress: newest?.state === 'running' ? newest.progress : null,
    finished_at: finishedAt === null ? null : new Date(finishedAt).toISOString(),
  };
}
