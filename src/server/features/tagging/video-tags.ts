import type { VideoTags } from '#contract/entities/tagging.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { putUntagged } from '../../id-sets/tag-links.ts';
import { folderLinks } from '../tags/folder-links.ts';
import { tagLinkRepository } from '../tags/link-repository.ts';
import type { WriteTags } from '../tags/write-tags.ts';
import { onlyAdministrators, requireTags } from '../tags/write-tags.ts';
import type { LibraryVideo, PathResolver } from '../videos/video.ts';
import { videoRepository } from '../videos/video-repository.ts';

interface VideoTagsDeps {
  database: Database;
  places: Pick<PathResolver, 'find'>;
  restrictedTags: RestrictedTags;
  writeTags: WriteTags;
}

/** A video by its path, and the rights of the caller. */
export interface VideoAsked {
  path: string;
  /** Only administrators find hidden videos, and change what is only for some. */
  isAdmin: boolean;
  rank: number;
}

/** @throws NotFound */
export async function readTagsOfVideo(deps: VideoTagsDeps, asked: VideoAsked): Promise<VideoTags> {
  const { number } = await findVideo(deps, asked);
  return { tags: await tagLinkRepository.listOfVideo(deps.database.reader, number, asked.rank) };
}

/**
 * Assigns all tags or none; existing ones stay.
 * @param isByFolder whether tags that the video's folder gives become the folder's again
 * @returns all tags of the video
 * @throws NotFound
 * @throws Refusal 403 for a restricted tag or video, unless the caller is an administrator
 */
export async function tagVideo(
  deps: VideoTagsDeps,
  asked: VideoAsked,
  tagIds: readonly string[],
  isByFolder: boolean,
): Promise<VideoTags> {
  const { number } = await findEditable(deps, asked);
  return deps.writeTags(async (transaction, changes) => {
    const tags = await requireTags(transaction, tagIds, asked.rank);
    if ((await videoRepository.findByNumber(transaction, number)) === null) throw new NotFound('video');
    const ofPeople = new Set(tags);
    for (const tag of isByFolder ? ofPeople : []) {
      if (!(await folderLinks.giveBack(transaction, tag, number))) continue;
      changes.add(tag, number);
      ofPeople.delete(tag);
    }
    await putOnVideo(transaction, changes, number, [...ofPeople]);
    return { tags: await tagLinkRepository.listOfVideo(transaction, number, asked.rank) };
  }, linksOf(number));
}

/** Takes a tag off a video. @throws like `tagVideo`, and NotFound for a tag that is not on the video */
export async function untagVideo(deps: VideoTagsDeps, asked: VideoAsked, tagId: string): Promise<void> {
  const { number } = await findEditable(deps, asked);
  await deps.writeTags(async (transaction, changes) => {
    const [tag] = await requireTags(transaction, [tagId], asked.rank);
    if (tag === undefined || !(await tagLinkRepository.has(transaction, number, tag))) throw new NotFound('tag');
    await folderLinks.rememberRemoved(transaction, tag, [number]);
    await tagLinkRepository.delete(transaction, number, tag);
    changes.remove(tag, number);
    await putUntagged(transaction, changes, [number]);
  }, linksOf(number));
}

/** The key of those who change the links of one video, and nothing else of it. */
export function linksOf(videoNumber: number): string {
  return `links ${videoNumber}`;
}

/** Assigns tags in the transaction that has read them. */
export async function putOnVideo(
  transaction: Executor,
  changes: SetChanges,
  videoNumber: number,
  tags: readonly number[],
): Promise<void> {
  if (tags.length > 0) {
    for (const tag of await tagLinkRepository.putTagsOnVideo(transaction, videoNumber, tags))
      changes.add(tag, videoNumber);
    await tagLinkRepository.claim(transaction, tags, [videoNumber]);
  }
  await putUntagged(transaction, changes, [videoNumber]);
}

async function findVideo(
  { places, restrictedTags }: VideoTagsDeps,
  { path, isAdmin, rank }: VideoAsked,
): Promise<LibraryVideo> {
  const video = await places.find(path);
  if (video === null || (video.isHidden && !isAdmin)) throw new NotFound('video');
  if (await restrictedTags.isWithheld(rank, video.number)) throw new NotFound('video');
  return video;
}

/** Another channel would open a video that is only for some, so administrators alone put it there. */
async function findEditable(deps: VideoTagsDeps, asked: VideoAsked): Promise<LibraryVideo> {
  const video = await findVideo(deps, asked);
  if (!asked.isAdmin && (await deps.restrictedTags.isWithheld(0, video.number))) throw onlyAdministrators();
  return video;
}
