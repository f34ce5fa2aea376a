import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import type { WatchedList } from '#contract/entities/video.ts';
import { watchedListQuerySchema, watchedReportSchema } from '#contract/entities/video.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import { route } from '../../http/pipeline/route.ts';
import type { Ids } from '../../ids.ts';
import type { BrowseDeps } from '../browse/list-videos.ts';
import { readCards, toSelection } from '../browse/list-videos.ts';
import type { Audience } from '../videos/audience.ts';
import { audienceOf } from '../videos/audience.ts';
import { videoRepository } from '../videos/video-repository.ts';
import type { Rounds } from './rounds.ts';
import type { Owner } from './watched-owner.ts';
import { watcherOf } from './watched-owner.ts';

interface WatchedServices extends ListDeps {
  ids: Ids;
  rounds: Rounds;
}

/** The endpoints for what somebody has watched. */
export function watchedRoutes(app: FastifyInstance, services: WatchedServices): void {
  const { rounds, ids } = services;
  route(app, endpoints.recordWatched, { body: watchedReportSchema }, async ({ body, request }) => {
    const watcher = watcherOf(request);
    if (watcher !== null) await rounds.record(watcher, body.ids);
    return null;
  });

  route(app, endpoints.listWatched, { query: watchedListQuerySchema }, async ({ query, request, reply }) => {
    const { blocked_tag_ids: blockedTagIds, page, limit } = query;
    const audience = audienceOf(request, reply, ids);
    return readWatchedPage(services, watcherOf(request), { blockedTagIds, page, limit, audience });
  });

  route(app, endpoints.forgetWatched, {}, async ({ request }) => {
    const watcher = watcherOf(request);
    if (watcher !== null) await rounds.forget(watcher);
    return null;
  });
}

interface ListDeps extends BrowseDeps {
  rounds: Pick<Rounds, 'readLog'>;
}

interface WatchedRequest {
  blockedTagIds: readonly string[];
  page: number;
  limit: number;
  audience: Audience;
}

/** An entry of the log, and when it was made, in epoch minutes. */
interface Row {
  number: number;
  minute: number;
}

/**
 * A page of what an owner has watched, newest first. Videos that are gone, hidden, blocked or
 * withheld from the viewer have no row.
 */
async function readWatchedPage(
  deps: ListDeps,
  owner: Owner | null,
  { blockedTagIds, page, limit, audience }: WatchedRequest,
): Promise<WatchedList> {
  const { rank } = audience;
  const tags = await deps.tagCatalogue.readFor(rank);
  const userId = owner?.userId ?? null;
  const selection = await toSelection(deps, tags, { tagIds: [], blockedTagIds, mode: 'OR', userId, rank });
  const log = owner === null ? [] : await deps.rounds.readLog(owner);
  const offset = (page - 1) * limit;
  const { rows, total } =
    selection === null
      ? { rows: [], total: 0 }
      : deps.idSets.use(selection, (shown) => pageOf(log, shown, offset, limit));
  const cards = await readCards(deps, [...new Set(rows.map(({ number }) => number))], tags, audience);
  const states = await videoRepository.findStates(
    deps.database.reader,
    cards.map(({ id }) => id),
  );
  const videos = new Map(cards.map((card) => [states.get(card.id)?.number, card]));
  return {
    watched: rows.flatMap(({ number, minute }) => {
      const video = videos.get(number);
      return video === undefined ? [] : [{ video, watched_at: new Date(minute * 60_000).toISOString() }];
    }),
    total,
    total_pages: lastPageOf(total, limit),
    page,
    limit,
  };
}

/** @param log its pieces, the latest last */
function pageOf(
  log: readonly { numbers: Uint32Array; minutes: Uint32Array }[],
  shown: { has(number: number): boolean },
  offset: number,
  limit: number,
): { rows: Row[]; total: number } {
  const rows: Row[] = [];
  let total = 0;
  for (const { numbers, minutes } of log.toReversed()) {
    for (let at = numbers.length - 1; at >= 0; at -= 1) {
      const [number = 0, minute = 0] = [numbers[at], minutes[at]];
      if (!shown.has(number)) continue;
      if (total >= offset && rows.length < limit) rows.push({ number, minute });
      total += 1;
    }
  }
  return { rows, total };
}
