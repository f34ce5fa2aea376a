import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fillFirstVideos } from '#contract/first-videos.ts';
import { audioCookie } from '#contract/rules/settings.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { compressText } from '../../http/pipeline/representation.ts';
import type { Ids } from '../../ids.ts';
import { WorkQueue } from '../../limits/work-queue.ts';
import { audienceOf } from '../videos/audience.ts';
import { watcherOf } from '../watched/watched-owner.ts';
import type { GiveVideo } from './give-video.ts';
import { giveFirstVideos } from './give-video.ts';

/**
 * `stranger`: picks do not depend on the user. `known`: picks need a token, which only the page
 * has. `shut-out`: the gate is closed, so the page contains no picks.
 */
export type PageVisitor = 'stranger' | 'known' | 'shut-out';

/**
 * Milliseconds that the page waits for its first videos. Without them it requests them itself,
 * which takes one more round trip.
 */
const patienceMs = 100;
/**
 * The most pages that are filled at once. The database continues the queries of a page that no
 * longer waits, and picks of active viewers queue behind them.
 */
export const maxFilledAtOnce = 16;

/**
 * The page with the first four videos embedded, so that they load before any script has requested
 * them. On errors and delays the page is sent without them and requests them itself.
 * @param file the page as built
 */
export async function pageRoute(
  app: FastifyInstance,
  { ids, giveVideo }: { ids: Ids; giveVideo: GiveVideo },
  file: string,
  tellVisitor: (request: FastifyRequest) => Promise<PageVisitor>,
): Promise<void> {
  if (!existsSync(file)) return;
  const page = await readFile(file, 'utf8');
  let isFailing = false;
  const fillings = new WorkQueue({ atOnce: maxFilledAtOnce, maxWaiting: 0 });

  const fill = async (request: FastifyRequest, reply: FastifyReply) => {
    const visitor = await tellVisitor(request);
    if (visitor === 'shut-out') return page;
    if (visitor === 'known') return fillFirstVideos(page, 'null');
    const watcher = watcherOf(request);
    const audience = audienceOf(request, reply, ids);
    const audioLanguage = request.cookies[audioCookie];
    const from = { isWaitedFor: audience.isDeviceKnown, watcher, audioLanguage };
    const picks = await giveFirstVideos(giveVideo, audience, {}, from);
    // An unknown device may play videos that most cannot. Its page requests the picks itself and
    // sends its capabilities.
    const isForAnother = !audience.isDeviceKnown && Object.values(picks).some(({ available }) => !available);
    return isForAnother ? page : fillFirstVideos(page, JSON.stringify(picks));
  };

  const fillInTime = async (request: FastifyRequest, reply: FastifyReply) => {
    const filling = fillings.run(() => fill(request, reply));
    try {
      const filled = await rejectAfter(patienceMs, filling);
      isFailing = false;
      return filled;
    } catch (error) {
      // An empty library is no failure, and neither are too many pages at once. A lasting failure
      // is logged once.
      if (error instanceof Refusal || isFailing) return page;
      isFailing = true;
      request.log.warn({ err: error, request_id: request.id }, 'the page goes out without its first videos');
      return page;
    }
  };

  app.get('/', async (request, reply) => {
    reply.type('text/html; charset=utf-8').header('cache-control', 'private, no-store');
    return compressText(request, reply, await fillInTime(request, reply));
  });
}

/** @throws Error when the work is not done in time; it continues, and its result is ignored */
async function rejectAfter<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms.`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
