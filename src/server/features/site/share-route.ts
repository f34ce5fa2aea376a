import type { FastifyInstance } from 'fastify';
import { usualFacts } from '#contract/call-facts.ts';
import type { CallFacts } from '#contract/endpoint.ts';
import { shareAction } from '#contract/server-paths.ts';

/** No call of the contract: it opens the app, which asks for the password by itself. */
const facts: CallFacts = {
  ...usualFacts,
  gate: 'open',
  credential: 'bearer',
  expiredToken: 'ignored',
  needsDatabase: false,
  isRepeatable: false,
};

/**
 * Files that are shared into the app where its worker, which stores them, is not there any more. They cannot be kept
 * for whoever is not known yet: nothing of them is read, and the page that opens asks for them.
 */
export async function shareRoute(app: FastifyInstance): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.post(shareAction, { config: { facts } }, async (request, reply) => {
      // The rest of the files is not waited for.
      if (request.raw.httpVersionMajor === 1) reply.header('connection', 'close');
      return reply.header('cache-control', 'no-store').redirect('/?view=upload', 303);
    });
  });
}
