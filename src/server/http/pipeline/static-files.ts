import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { isOutOfDescriptors } from '../../storage/system-limits.ts';
import { answerError } from './errors.ts';

const forever = 'public, max-age=31536000, immutable';
const askEachTime = 'no-cache';

/**
 * Serves the built app, as the build left it: hashed files for ever, the rest after asking. Compressed copies beside a
 * file go first.
 */
export async function serveApp(app: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) return;
  await app.register(async (files) => {
    files.setErrorHandler(async (error, request, reply) =>
      answerError((await missDescriptors(folder)) ?? error, request, reply),
    );
    await files.register(fastifyStatic, {
      root: folder,
      preCompressed: true,
      cacheControl: false,
      dotfiles: 'ignore',
      setHeaders: (reply, path) =>
        reply.header('cache-control', path.includes(`${sep}assets${sep}`) ? forever : askEachTime),
    });
  });
}

/**
 * The plugin takes a folder that it cannot list for a forbidden address, whatever the reason. @returns the error when
 * no descriptor is left
 */
async function missDescriptors(folder: string): Promise<unknown> {
  try {
    await (await open(folder)).close();
    return null;
  } catch (error) {
    return isOutOfDescriptors(error) ? error : null;
  }
}
