import { isIP } from 'node:net';
import type { DeviceRequest, WaitingDevice } from '#contract/entities/account.ts';
import { limits } from '#contract/limits.ts';
import { userCodeText } from '#contract/rules/credentials.ts';
import { clientAddress, isLoopback, matchRanges } from '../../http/client-address.ts';
import { Invalid, Refusal, Unavailable } from '../../http/pipeline/errors.ts';
import type { SignedIn } from '../../http/pipeline/guards.ts';
import { auditRefusals } from '../../http/protection/audit.ts';
import type { Attempt } from '../../limits/rate-limits.ts';
import { userChangeRepository } from '../users/user-change-repository.ts';
import type { AuthDeps, Visitor } from './auth-deps.ts';
import { deviceSignInRepository } from './device-sign-in-repository.ts';
import { randomCode } from './first-account.ts';
import { sessionRepository } from './sessions/session-repository.ts';
import type { SignedInAnew } from './sessions/sessions.ts';
import { addressAttempt, startUserSession } from './sign-in.ts';

const minuteMs = 60_000;

const lifeMs = limits.deviceCodeMinutes * minuteMs;

/** Tolerance for the inexact timer of a TV. */
const pollEarlyMs = 500;

const startsPerAddress = 30;

const maxDraws = 5;

/** RFC 1918, RFC 4193 and link-local addresses: those of the server's own network. */
const isHomeNetwork = matchRanges([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]);

/** Signs in a TV by a code that a person approves on another device. */
export const deviceSignIn = {
  /**
   * Starts a sign-in on a TV (RFC 8628).
   * @param origin where people enter the code
   */
  async start(deps: AuthDeps, visitor: Visitor, origin: string): Promise<DeviceRequest> {
    await deps.rateLimits.consume(addressAttempt('device', visitor, startsPerAddress));
    const { ids, clock, database } = deps;
    const deviceCode = `${ids.secret()}${ids.secret()}`;
    const { device, source } = visitor;
    const askedAt = clock.now();
    const expiresAt = askedAt + lifeMs;
    for (let draws = 0; draws < maxDraws; draws += 1) {
      const userCode = randomCode(limits.deviceCodeCharacters);
      const isNew = await database.write(async (transaction) => {
        await deviceSignInRepository.deleteExpired(transaction, clock.now());
        return deviceSignInRepository.insert(transaction, {
          deviceCode,
          userCode,
          device,
          address: source.address,
          askedAt,
          expiresAt,
        });
      });
      if (isNew) return toRequest(deviceCode, userCode, origin);
    }
    throw new Unavailable();
  },

  /** @throws Refusal 400 `authorization_pending`, `slow_down` or `expired_token` */
  async answerPoll(deps: AuthDeps, visitor: Visitor, deviceCode: string): Promise<SignedInAnew> {
    const now = deps.clock.now();
    const { database } = deps;
    const known = await deviceSignInRepository.find(database.reader, deviceCode, now);
    if (known === null) throw new Refusal('expired_token');
    const { userId, polledAt } = known;
    const since = now - limits.devicePollSeconds * 1000 + pollEarlyMs;
    // A poll that is too early writes nothing. A poll time in the future dates from before the
    // clock was set back.
    const isEarly = polledAt !== null && polledAt > since && polledAt <= now;
    if (
      isEarly ||
      !(await database.write((transaction) => deviceSignInRepository.poll(transaction, deviceCode, now, since)))
    )
      throw new Refusal('slow_down');
    if (userId === null) throw new Refusal('authorization_pending');
    return startUserSession(deps, visitor, userId, {
      isRemembered: true,
      recheck: async (transaction) => {
        const isApproved = await deviceSignInRepository.claim(transaction, deviceCode);
        if (!isApproved) throw new Refusal('expired_token');
      },
    });
  },

  /**
   * Describes the device that shows a code, because the code alone does not identify it.
   * @throws Invalid for a code that no TV shows, Refusal 429 after too many of those
   */
  async readWaiting(deps: AuthDeps, { source }: Visitor, userId: string, userCode: string): Promise<WaitingDevice> {
    const found = await auditRefusals(deps.audit, 'device_refused', source, { user: userId }, async () => {
      await deps.rateLimits.consume(codeAttempt('device-lookup', userId));
      return (
        (await deviceSignInRepository.findWaiting(deps.database.reader, userCode, deps.clock.now())) ?? refuseUnknown()
      );
    });
    return {
      device: found.device,
      address: found.address ?? 'unknown',
      is_same_network: areOfOneNetwork(found.address ?? '', source.address),
      asked_at: new Date(found.askedAt).toISOString(),
    };
  },

  /**
   * @throws Invalid for a code that no TV shows, Refusal 429 after too many of those, 401 for a
   * session that has ended meanwhile
   */
  async approve(deps: AuthDeps, { source }: Visitor, { userId, sessionId }: SignedIn, userCode: string): Promise<void> {
    await auditRefusals(deps.audit, 'device_refused', source, { user: userId }, async () => {
      await deps.rateLimits.consume(codeAttempt('device-code', userId));
      const isShown = await deps.database.write(async (transaction) => {
        // Whoever ends the session at the same moment waits here, and ends this approval with it.
        await userChangeRepository.hold(transaction, userId);
        if ((await sessionRepository.find(transaction, sessionId)) === null) throw new Refusal('unauthorized');
        return deviceSignInRepository.setUser(transaction, userCode, userId, deps.clock.now());
      });
      if (!isShown) refuseUnknown();
    });
    await deps.rateLimits.reset(codeAttempt('device-lookup', userId), codeAttempt('device-code', userId));
    deps.audit.write('device_approved', source, { user: userId });
  },
};

function toRequest(deviceCode: string, userCode: string, origin: string): DeviceRequest {
  return {
    device_code: deviceCode,
    user_code: userCodeText(userCode),
    verification_url: `${origin}/`,
    expires_in: lifeMs / 1000,
    interval: limits.devicePollSeconds,
  };
}

/**
 * Look-ups and approvals are limited separately, so that the last allowed look-up can still be
 * approved.
 */
function codeAttempt(name: 'device-lookup' | 'device-code', userId: string): Attempt {
  return { name, holder: userId, policy: { kind: 'window', most: limits.deviceApprovalTries, windowMs: lifeMs } };
}

function refuseUnknown(): never {
  throw new Invalid([{ field: 'user_code', message: 'No TV shows this code. It may have run out' }]);
}

/**
 * Whether two addresses belong to one household. Null when that is unknown: behind a proxy on this
 * machine, or for one IPv4 and one IPv6 address.
 */
export function areOfOneNetwork(one: string, other: string): boolean | null {
  if (isLoopback(one) || isLoopback(other) || isIP(one) === 0 || isIP(other) === 0) return null;
  if (isHomeNetwork(one) && isHomeNetwork(other)) return true;
  if (isIP(one) !== isIP(other)) return null;
  return clientAddress({ ip: one }) === clientAddress({ ip: other });
}
