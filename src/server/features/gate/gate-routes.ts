import type { FastifyInstance } from 'fastify';
import { enterSite } from '#contract/endpoints.ts';
import type { SiteEntry, SiteRefusal } from '#contract/entities/gate.ts';
import { sitePasswordSchema } from '#contract/entities/gate.ts';
import { invalidPassword } from '#contract/failures.ts';
import { clientAddress, isLoopback } from '../../http/client-address.ts';
import type { RateLimits, Try } from '../../http/rate-limits.ts';
import { answered, route } from '../../http/route.ts';
import type { Log } from '../../log.ts';
import { setGateCookie } from './close-gate.ts';
import type { SiteGate } from './site-gate.ts';

export interface GateServices {
  gate: SiteGate;
  attempts: RateLimits;
  log: Log;
}

const entered: SiteEntry = { success: true };
const refused: SiteRefusal = { success: false, error: invalidPassword, message: invalidPassword };
const windowMs = 60_000;

export function gateRoutes(app: FastifyInstance, { gate, attempts, log }: GateServices): void {
  route(app, enterSite, { body: sitePasswordSchema }, async ({ body, request, reply }) => {
    if (!gate.isClosed) return entered;
    await attempts.take(...triesOf(clientAddress(request)));
    if (gate.isPassword(body.password)) {
      await setGateCookie(gate, request, reply);
      return entered;
    }
    log.info({ event: 'gate_refused' }, 'a wrong site password was given');
    reply.code(401).send(refused);
    return answered;
  });
}

/** Whoever guesses from a thousand addresses is slowed down by the second; browsers that are in already notice neither. */
function triesOf(address: string): Try[] {
  return [
    // Behind the machine's own address stands everybody when a proxy is not told of.
    { name: 'gate', subject: address, policy: { kind: 'window', most: isLoopback(address) ? 100 : 10, windowMs } },
    { name: 'gate', subject: 'everybody', policy: { kind: 'window', most: 300, windowMs } },
  ];
}
