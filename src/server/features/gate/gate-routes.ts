import type { FastifyInstance, FastifyRequest } from 'fastify';
import { enterSite } from '#contract/endpoints.ts';
import type { SiteEntry, SiteRefusal } from '#contract/entities/account.ts';
import { sitePasswordSchema } from '#contract/entities/account.ts';
import { failures } from '#contract/failures.ts';
import type { Clock } from '../../clock.ts';
import { clientAddress, clientNetwork, isLoopback } from '../../http/client-address.ts';
import { answered, route } from '../../http/pipeline/route.ts';
import type { Audit } from '../../http/protection/audit.ts';
import { auditRefusals, auditSourceOf } from '../../http/protection/audit.ts';
import type { Attempt, RateLimits } from '../../limits/rate-limits.ts';
import { measurePressure } from '../../limits/rate-limits.ts';
import type { SiteGate } from './site-gate.ts';
import { setGateCookie } from './site-gate.ts';

interface GateServices {
  gate: SiteGate;
  rateLimits: RateLimits;
  clock: Clock;
  audit: Audit;
}

const entered: SiteEntry = { success: true };
const refused: SiteRefusal = { success: false, error: failures.invalidPassword, message: failures.invalidPassword };
const windowMs = 60_000;

export function gateRoutes(app: FastifyInstance, { gate, rateLimits, clock, audit }: GateServices): void {
  const pressure = measurePressure(clock, { most: 300, windowMs });
  route(app, enterSite, { body: sitePasswordSchema }, async ({ body, request, reply }) => {
    if (!gate.isClosed) return entered;
    const source = auditSourceOf(request);
    const attempts = attemptsOf(request, pressure.isHigh());
    const isRight = gate.isPassword(body.password);
    await auditRefusals(audit, 'gate_refused', source, {}, () =>
      isRight ? rateLimits.check(...attempts) : rateLimits.consume(...attempts),
    );
    if (isRight) {
      await setGateCookie(gate, request, reply);
      audit.write('gate_entered', source);
      return entered;
    }
    pressure.add();
    audit.write('gate_refused', source, { reason: 'invalid_password' });
    reply.code(401).send(refused);
    return answered;
  });
}

/**
 * The rate limits of wrong passwords, by address and by its network, but never for all clients
 * together: strangers who guess must not lock out visitors who know the password. While many guess
 * at once, each address has fewer attempts.
 */
function attemptsOf(request: FastifyRequest, isPressed: boolean): Attempt[] {
  const address = clientAddress(request);
  // The machine's own address stands for all clients of an unconfigured proxy.
  if (isLoopback(request.ip))
    return [{ name: 'gate', holder: address, policy: { kind: 'window', most: 100, windowMs } }];
  const usual: Attempt[] = [
    { name: 'gate', holder: address, policy: { kind: 'window', most: 10, windowMs } },
    { name: 'gate-network', holder: clientNetwork(request), policy: { kind: 'window', most: 60, windowMs } },
  ];
  return isPressed
    ? [
        ...usual,
        { name: 'gate-pressed', holder: address, policy: { kind: 'window', most: 3, windowMs: 10 * windowMs } },
      ]
    : usual;
}
