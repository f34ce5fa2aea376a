import type { HiddenList, HiddenVideo, UnplayableList } from '#contract/entities/library.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { describeUnplayable } from '../../media/unplayable.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { reportRepository } from '../reports/report-repository.ts';
import { posterRepository } from '../videos/poster-repository.ts';
import { posterUrl } from '../videos/stills.ts';
import type { LibraryVideo, PathResolver } from '../videos/video.ts';
import type { HiddenVideoRow } from './withheld-video-repository.ts';
import { withheldVideoRepository } from './withheld-video-repository.ts';

export interface HidingDeps {
  idSets: Pick<IdSets, 'write'>;
  clock: Clock;
  revisions: Pick<Revisions, 'forget'>;
  places: Pick<PathResolver, 'pathOf'>;
}

/** Videos that are hidden or that nothing can play. */
export const withheldVideos = {
  /**
   * Hides a video: after the return nobody is served, shown or given it by a pick; other nodes
   * follow within a second. A hidden video stays hidden. Its reports are closed.
   * @throws NotFound
   */
  async hide(deps: HidingDeps, id: string, actorId: string): Promise<void> {
    const at = deps.clock.now();
    await changeVisibility(deps, { id, actorId, kind: 'video_hidden' }, async (transaction, changes) => {
      const video = await withheldVideoRepository.markHidden(transaction, changes, id, { at, by: actorId });
      if (video !== null) await reportRepository.close(transaction, video.number, at);
      return video;
    });
  },

  /** Shows a hidden video again. @throws NotFound */
  async show(deps: HidingDeps, id: string, actorId: string): Promise<void> {
    await changeVisibility(deps, { id, actorId, kind: 'video_shown' }, (transaction, changes) =>
      withheldVideoRepository.markShown(transaction, changes, id),
    );
  },

  /** Lists hidden videos, latest first. */
  async readHiddenPage({ reader }: Database, { page, limit }: { page: number; limit: number }): Promise<HiddenList> {
    const total = await withheldVideoRepository.countHidden(reader);
    const rows = await withheldVideoRepository.listHidden(reader, { limit, offset: (page - 1) * limit });
    const posters = await posterRepository.findMany(
      reader,
      rows.map(({ video }) => video),
    );
    return {
      videos: rows.map((row) => toHiddenVideo(row, posters.get(row.video.number))),
      total,
      total_pages: lastPageOf(total, limit),
      page,
      limit,
    };
  },

  /**
   * Lists unplayable videos, including hidden ones, because the operator has put the files there.
   */
  async readUnplayablePage(
    { reader }: Database,
    { search = '', page, limit }: UnplayablePage,
  ): Promise<UnplayableList> {
    const total = await withheldVideoRepository.countUnplayable(reader, search);
    const rows = await withheldVideoRepository.listUnplayable(reader, search, { limit, offset: (page - 1) * limit });
    return {
      videos: rows.map(({ id, root, path, size, reason, failure }) => ({
        id,
        root,
        path,
        size,
        reason: failure ?? describeUnplayable(reason),
      })),
      total,
      total_pages: lastPageOf(total, limit),
      page,
      limit,
    };
  },
};

interface HidingAct {
  id: string;
  actorId: string;
  kind: 'video_hidden' | 'video_shown';
}

/**
 * Changes the visibility, and bumps the revisions `config` and `tags`, which make clients reload.
 */
async function changeVisibility(
  { idSets, clock, revisions, places }: HidingDeps,
  { id, actorId, kind }: HidingAct,
  mark: (transaction: Executor, changes: SetChanges) => Promise<LibraryVideo | null>,
): Promise<void> {
  await idSets.write(async (transaction, changes) => {
    const video = await mark(transaction, changes);
    if (video === null) {
      if ((await posterRepository.findVideo(transaction, id)) === null) throw new NotFound('video');
      return;
    }
    await recordActivity(transaction, { actorId, kind, subject: places.pathOf(video) }, clock.now());
    await bumpRevision(transaction, 'config');
    await bumpRevision(transaction, 'tags');
  });
  revisions.forget();
}

function toHiddenVideo({ video, root, hiddenAt, hiddenBy }: HiddenVideoRow, poster: string | undefined): HiddenVideo {
  return {
    id: video.id,
    root,
    path: video.path,
    poster_url: posterUrl(video.id, poster),
    hidden_at: new Date(hiddenAt).toISOString(),
    hidden_by: hiddenBy,
  };
}

interface UnplayablePage {
  /** Part of a path. */
  search?: string | undefined;
  page: number;
  limit: number;
}
