import type { NeedBits } from '#contract/rules/media-needs.ts';
import type { Executor } from '../../database/tables.ts';
import type { StoredEncoding, StoredStoryboard } from '../videos/encoding-repository.ts';
import { encodingRepository } from '../videos/encoding-repository.ts';
import type { LibraryVideo } from '../videos/video.ts';
import type { TagForSome } from '../videos/video-repository.ts';
import { videoRepository } from '../videos/video-repository.ts';

/** A video that exists but that no device, or not every device, can play. */
export interface Unplayable {
  number: number;
  /** A key of `media/unplayable.ts`; null when some devices play it. */
  reason: string | null;
  needs: NeedBits;
  /** Why no encoding of the current file can be made; null when one can, as far as is known. */
  failure: string | null;
}

/** A video that a pick can give. */
export interface StoredRow {
  video: LibraryVideo;
  /** Active or not. */
  tagNumbers: readonly number[];
  encodings: readonly StoredEncoding[];
  storyboard: StoredStoryboard | null;
  /** Content hash that names the poster; null without one. */
  poster: string | null;
}

/** A video that a pick gives, with its active tags. */
export interface VideoRow extends Omit<StoredRow, 'tagNumbers'> {
  tags: TagForSome[];
}

/** Videos that a pick finds. */
export const feedRepository = {
  /** Videos that no longer exist or can no longer be played are left out. */
  async readRows(executor: Executor, numbers: readonly number[]): Promise<ReadonlyMap<number, StoredRow>> {
    const [cards, links] = await Promise.all([
      videoRepository.readCards(executor, numbers),
      videoRepository.readTagLinks(executor, numbers),
    ]);
    const videos = [...cards.values()].map(({ video }) => video);
    // A card lacks the encodings with another audio track.
    const encodings = await encodingRepository.findMany(executor, videos);
    const rows = new Map<number, StoredRow>();
    for (const [number, { video, poster, storyboard }] of cards)
      rows.set(number, {
        ...{ video, poster, storyboard },
        tagNumbers: (links.get(number) ?? []).map(({ tagNumber }) => tagNumber),
        encodings: encodings.get(number) ?? [],
      });
    return rows;
  },

  /** The videos of the list that exist and are not hidden, newest first. */
  async findPresent(executor: Executor, numbers: readonly number[]): Promise<Unplayable[]> {
    if (numbers.length === 0) return [];
    return present(executor).where('videos.number', 'in', numbers).execute();
  },

  /**
   * All existing videos that no device can play, in pages, newest first.
   * @param beforeNumber null: starts with the newest
   */
  async pageUnplayable(executor: Executor, beforeNumber: number | null, limit: number): Promise<Unplayable[]> {
    return present(executor)
      .where('videos.available', '=', 0)
      .$if(beforeNumber !== null, (query) => query.where('videos.number', '<', beforeNumber ?? 0))
      .limit(limit)
      .execute();
  },
};

function present(executor: Executor) {
  return executor
    .selectFrom('videos')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .leftJoin('media_findings as found', (join) =>
      join
        .onRef('found.video_number', '=', 'videos.number')
        .onRef('found.size', '=', 'videos.size')
        .onRef('found.modified_us', '=', 'videos.modified_us'),
    )
    .select(['videos.number', 'videos.reason', 'videos.needs', 'found.failure'])
    .where('videos.missing_since', 'is', null)
    .where('videos.hidden_at', 'is', null)
    .where('library_roots.active', '=', 1)
    .orderBy('videos.number', 'desc');
}
