import type { FastifyInstance } from 'fastify';
import type { RequestMetrics } from '../../metrics/request-metrics.ts';

/**
 * Counts every request when it ends, also where its client goes away. Before all hooks that refuse. What cannot be read
 * as HTTP, or as an address, comes to no hook.
 */
export function measureRequests(app: FastifyInstance, metrics: RequestMetrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply;
    let isOpen = true;
    const end = (status: number | null) => {
      if (!isOpen) return;
      isOpen = false;
      const { method, routeOptions } = request;
      metrics.end({ method, route: routeOptions.url, status, seconds: reply.elapsedTime / 1000 });
    };
    metrics.begin();
    raw.once('finish', () => end(raw.statusCode));
    // No hook is told of an answer that was cut.
    raw.once('close', () => end(null));
    done();
  });
}
