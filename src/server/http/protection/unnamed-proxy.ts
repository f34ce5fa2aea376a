import type { FastifyInstance } from 'fastify';

/**
 * Says once that somebody speaks for others without being believed: behind a proxy that `TRUST_PROXY` does not name,
 * all visitors count as one address, and https is taken for http.
 */
export function warnOfUnnamedProxy(app: FastifyInstance, isProxy: (address: string | undefined) => boolean): void {
  let isSaid = false;
  app.addHook('onRequest', async ({ headers, socket, log }) => {
    if (isSaid || headers['x-forwarded-for'] === undefined || isProxy(socket.remoteAddress)) return;
    isSaid = true;
    const { remoteAddress: address } = socket;
    log.warn(
      { address },
      `X-Forwarded headers come from ${address}, which TRUST_PROXY does not name: they are not believed. If it is your proxy, name it there.`,
    );
  });
}
