import type { FastifyInstance } from 'fastify';

/** Puts the facts of the call on each request, for every hook that enforces one. Before all of them. */
export function provideFacts(app: FastifyInstance): void {
  app.decorateRequest('facts', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.facts = request.routeOptions.config.facts ?? null;
    done();
  });
}
