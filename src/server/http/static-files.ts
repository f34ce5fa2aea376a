import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const forever = 'public, max-age=31536000, immutable';
const askEachTime = 'no-cache';

/** Serves the built app, as the build left it: hashed files for ever, the rest after asking. Compressed copies beside a file go first. */
export async function serveApp(app: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) return;
  await app.register(fastifyStatic, {
    root: folder,
    preCompressed: true,
    cacheControl: false,
    dotfiles: 'ignore',
    setHeaders: (reply, path) => reply.header('cache-control', path.includes(`${sep}assets${sep}`) ? forever : askEachTime),
  });
}
