import type { UnplayableList } from '#contract/entities/site/library.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Database } from '../../../database/connection.ts';
import { describeUnplayable } from '../../../media/unplayable.ts';
import { countUnplayableVideos, listUnplayableVideos } from './unplayable-video-repository.ts';

export interface UnplayablePage {
  /** Part of a path. */
  search?: string | undefined;
  page: number;
  limit: number;
}

/** Hidden ones are among them: whoever runs the site has put the files there. */
export async function readUnplayablePage(
  { reader }: Database,
  { search = '', page, limit }: UnplayablePage,
): Promise<UnplayableList> {
  const total = await countUnplayableVideos(reader, search);
  const rows = await listUnplayableVideos(reader, search, { limit, offset: (page - 1) * limit });
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
}
