import type { FastifyInstance } from 'fastify';
import type { RequestMetrics } from '../../metrics/request-metrics.ts';

/**
 * Counts every request when it ends, also where its client goes away. Before all hooks that refuse. What cannot be read
 * as HTTP, or as an address, comes to no hook.
 */
export function measureRequests(app: FastifyInstance, metrics: RequestMetrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply;
    metrics.begin();
    // No hook is told of an answer that was cut: that one has not come to its end.
    raw.on('close', () => {
      const { method, routeOptions } = request;
      const status = raw.writableEnded ? raw.statusCode : null;
      metrics.end({ method, route: routeOptions.url, status, seconds: reply.elapsedTime / 1000 });
    });
    done();
  });
}
