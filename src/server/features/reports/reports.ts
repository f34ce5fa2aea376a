import { createHash } from 'node:crypto';
import type { ReportCreation, ReportList } from '#contract/entities/library.ts';
import { limits } from '#contract/limits.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { Attempt, RateLimits } from '../../limits/rate-limits.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { posterRepository } from '../videos/poster-repository.ts';
import { posterUrl } from '../videos/stills.ts';
import type { PathResolver } from '../videos/video.ts';
import { reportRepository } from './report-repository.ts';

export interface ReportDeps {
  database: Database;
  clock: Clock;
  restrictedTags: RestrictedTags;
  rateLimits: Pick<RateLimits, 'consume'>;
  places: Pick<PathResolver, 'pathOf'>;
}

/** Whoever reports: an account, or else an address. */
interface Reporter {
  userId: string | null;
  rank: number;
  address: string;
  network: string;
}

const dayMs = 86_400_000;

/** Reports of videos by viewers. They are open until they are dismissed or their video is hidden. */
export const reports = {
  /**
   * Reports a video. Somebody's second report of it replaces the first; where that was closed, or
   * where the video has many reports already, nothing changes.
   * @throws RateLimited
   * @throws NotFound for a video that is unknown, hidden or withheld from the reporter
   * @throws Refusal 409 while too many reports are open
   */
  async create(
    { database, clock, restrictedTags, rateLimits }: ReportDeps,
    id: string,
    { reason, text = '' }: ReportCreation,
    reporter: Reporter,
  ): Promise<void> {
    await rateLimits.consume(...attemptsOf(reporter));
    const found = await posterRepository.findVideo(database.reader, id);
    if (found === null || (await restrictedTags.isWithheld(reporter.rank, found.number))) throw new NotFound('video');
    await database.write(async (transaction) => {
      const video = await posterRepository.findVideo(transaction, id);
      if (video === null || video.isHidden) throw new NotFound('video');
      const holder = holderOf(reporter);
      if (!(await reportRepository.isHeld(transaction, video.number, holder))) {
        if ((await reportRepository.countOfVideo(transaction, video.number)) >= limits.videoReports) return;
        if ((await reportRepository.countOpen(transaction)) >= limits.openReports)
          throw new Refusal('conflict', { message: 'Too many reports are waiting. Try again later.' });
      }
      await reportRepository.put(transaction, {
        video_number: video.number,
        holder,
        user_id: reporter.userId,
        reason,
        text,
        created_at: clock.now(),
      });
    });
  },

  /** Lists videos with open reports, each with the latest of them. */
  async readPage({ lists: reader }: Database, { page, limit }: { page: number; limit: number }): Promise<ReportList> {
    const total = await reportRepository.countVideos(reader);
    const rows = await reportRepository.listVideos(reader, { limit, offset: (page - 1) * limit });
    const videos = rows.map(({ video }) => video);
    const posters = await posterRepository.findMany(reader, videos);
    const found = await reportRepository.listOf(
      reader,
      videos.map(({ number }) => number),
    );
    return {
      videos: rows.map(({ video, root, count }) => ({
        id: video.id,
        root,
        path: video.path,
        filename: video.filename,
        poster_url: posterUrl(video.id, posters.get(video.number)),
        count,
        reports: found
          .filter(({ videoNumber }) => videoNumber === video.number)
          .slice(0, limits.reportsShown)
          .map(({ reason, text, created_at, by }) => ({ reason, text, at: new Date(created_at).toISOString(), by })),
      })),
      total,
      total_pages: lastPageOf(total, limit),
      page,
      limit,
    };
  },

  /** Closes the open reports of a video, which stays as it is. @throws NotFound */
  async dismiss({ database, clock, places }: ReportDeps, id: string, actorId: string): Promise<void> {
    await database.write(async (transaction) => {
      const video = await posterRepository.findVideo(transaction, id);
      if (video === null) throw new NotFound('video');
      if ((await reportRepository.close(transaction, video.number, clock.now())) === 0) return;
      const subject = places.pathOf(video);
      await recordActivity(transaction, { actorId, kind: 'reports_dismissed', subject }, clock.now());
    });
  },
};

function attemptsOf({ userId, address, network }: Reporter): [Attempt, Attempt] {
  const windowOf = (most: number) => ({ kind: 'window' as const, most, windowMs: dayMs });
  return [
    { name: 'report', holder: userId ?? address, policy: windowOf(limits.dailyReports) },
    { name: 'report-network', holder: network, policy: windowOf(limits.dailyNetworkReports) },
  ];
}

/** A hash, so that no address is stored. */
function holderOf({ userId, address }: Reporter): string {
  const holder = userId === null ? `address ${address}` : `user ${userId}`;
  return createHash('sha256').update(holder).digest('base64url');
}
