import type { Selectable } from 'kysely';
import type { VideoDetails, VideoDetailsUpdate } from '#contract/entities/video.ts';
import { cleanDescription, cleanTitle } from '#contract/rules/video-details.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { Ids } from '../../ids.ts';
import { readableName } from '../../media/title.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { recordChange } from '../tags/changes/change-jobs.ts';
import type { EditedTexts } from '../tags/changes/video-details-repository.ts';
import { areEqual, videoDetailsRepository } from '../tags/changes/video-details-repository.ts';
import type { WriteTags } from '../tags/write-tags.ts';
import { labelsFor } from './audience.ts';
import { encodingRepository, withDefaultAudio } from './encoding-repository.ts';
import type { SourceFiles } from './source-files.ts';
import { titleOf, toVideo } from './video.ts';
import { videoRepository } from './video-repository.ts';

export interface VideoDetailsDeps {
  database: Database;
  sources: Pick<SourceFiles, 'placeOf'>;
  clock: Clock;
  ids: Ids;
  restrictedTags: RestrictedTags;
  writeTags: WriteTags;
}

type VideoRow = Selectable<Tables['videos']>;

/** Who asks. Only administrators read where the file is, and about videos that others may not see. */
interface Asker {
  userId: string | null;
  isAdmin: boolean;
  rank: number;
}

/** @throws NotFound, also for a video that this caller may not see */
export async function readVideoDetails(
  { database: { reader }, sources, restrictedTags }: Omit<VideoDetailsDeps, 'writeTags' | 'clock' | 'ids'>,
  id: string,
  { isAdmin, rank }: Omit<Asker, 'userId'>,
): Promise<VideoDetails> {
  const row = await findVisible(reader, id, isAdmin);
  if (await restrictedTags.isWithheld(rank, row.number)) throw new NotFound('video');
  const video = toVideo(row);
  const encodings = withDefaultAudio(await encodingRepository.find(reader, video));
  return {
    id: video.id,
    title: titleOf(video),
    filename: video.filename,
    description: row.edited_description ?? row.found_description ?? '',
    tags: labelsFor(rank, (await videoRepository.readTagLabels(reader, [video.number])).get(video.number) ?? []),
    recorded_at: toIso(row.recorded_at),
    created_at: new Date(row.created_at).toISOString(),
    duration: row.duration_ms === null ? null : row.duration_ms / 1000,
    width: row.width,
    height: row.height,
    size: row.size,
    container: row.container,
    video_codec: row.video_codec,
    audio_codec: row.audio_codec,
    encodings: encodings.map(({ rendition, bytes, width, height }) => ({ name: rendition, bytes, width, height })),
    played_seconds: Math.floor((await videoRepository.readPlayed(reader, row.number)) / 1000),
    place: isAdmin ? sources.placeOf(video) : null,
  };
}

function toIso(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

async function findVisible(executor: Executor, id: string, isAdmin: boolean): Promise<VideoRow> {
  const row = await videoDetailsRepository.find(executor, id);
  if (row === null || (row.available === 0 && !isAdmin)) throw new NotFound('video');
  return row;
}

/**
 * Changes the texts that people read. A text that equals what the file says, and a blank title,
 * leave it to the file. The change can be undone as those of tags can.
 * @throws NotFound, also for a video that this caller may not see
 */
export async function editVideoDetails(
  deps: VideoDetailsDeps,
  id: string,
  update: VideoDetailsUpdate,
  { userId, isAdmin, rank }: Asker & { userId: string },
): Promise<void> {
  const { number } = await findVisible(deps.database.reader, id, isAdmin);
  if (await deps.restrictedTags.isWithheld(rank, number)) throw new NotFound('video');
  await deps.writeTags(async (transaction, changes) => {
    const row = await findVisible(transaction, id, isAdmin);
    const old: EditedTexts = { title: row.edited_title, description: row.edited_description };
    const texts = toEdited(row, update, old);
    if (areEqual(texts, old)) return;
    const subject = titleOf(toVideo(row));
    await videoDetailsRepository.write(transaction, changes, row.number, texts);
    await recordActivity(transaction, { actorId: userId, kind: 'video_details_changed', subject }, deps.clock.now());
    const change = { kind: 'details', subject, actorId: userId, tags: [], links: 0, state: 'done' } as const;
    const changeNumber = await recordChange(transaction, deps, change);
    await videoDetailsRepository.insertChange(transaction, changeNumber, { videoNumber: row.number, old, texts });
  });
}

/** The texts to store after an update. What equals the texts of the file is left to the file. */
export function toEdited(
  row: Pick<VideoRow, 'filename' | 'found_title' | 'found_description'>,
  { title, description }: VideoDetailsUpdate,
  old: EditedTexts,
): EditedTexts {
  const found = { title: row.found_title ?? readableName(row.filename), description: row.found_description ?? '' };
  const cleaned = { title: cleanTitle(title ?? null), description: cleanDescription(description ?? '') };
  return {
    title: title === undefined ? old.title : cleaned.title === found.title ? null : cleaned.title,
    description:
      description === undefined
        ? old.description
        : cleaned.description === found.description
          ? null
          : cleaned.description,
  };
}
