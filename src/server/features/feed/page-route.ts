import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fillFirstVideos } from '#contract/first-videos.ts';
import { compressText } from '../../http/compress-text.ts';
import { ensureViewer } from '../../http/viewer-cookie.ts';
import type { Ids } from '../../ids.ts';
import { pickFirstVideos } from './first-videos.ts';
import type { GiveVideo } from './give-video.ts';

/** `stranger`: picks as anybody's. `known`: picks need a token, which only the page has. `shut-out`: nothing is told. */
export type Visitor = 'stranger' | 'known' | 'shut-out';

/**
 * The page, with the first four videos in it: so they load before any script has asked for them. Whatever fails, the page comes, and asks by itself.
 * @param file the page as the build left it
 */
export async function pageRoute(
  app: FastifyInstance,
  { ids, giveVideo }: { ids: Ids; giveVideo: GiveVideo },
  file: string,
  tellVisitor: (request: FastifyRequest) => Promise<Visitor>,
): Promise<void> {
  if (!existsSync(file)) return;
  const page = await readFile(file, 'utf8');
  const fill = async (request: FastifyRequest, reply: FastifyReply) => {
    const visitor = await tellVisitor(request);
    if (visitor === 'shut-out') return page;
    const picks = visitor === 'known' ? null : await pickFirstVideos(giveVideo, ensureViewer(request, reply, ids));
    return fillFirstVideos(page, JSON.stringify(picks));
  };
  app.get('/', async (request, reply) => {
    reply.type('text/html; charset=utf-8').header('cache-control', 'private, no-store');
    return compressText(request, reply, await fill(request, reply).catch(() => page));
  });
}
