import { messageOf } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkEmail } from '#contract/rules/credentials.ts';
import { cleanName } from '#contract/rules/text.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { SignedIn } from '../../../http/pipeline/guards.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import { sessionRepository } from '../sessions/session-repository.ts';
import type { AuthSession } from '../sessions/session-tokens.ts';
import type { SignedInAnew } from '../sessions/sessions.ts';
import { addressAttempt, startUserSession } from '../sign-in.ts';
import type { Provider, ProviderFailure, ProviderProfile } from './provider.ts';
import { ProviderFailed } from './provider.ts';
import { findOrCreateUser, linkProvider } from './provider-account.ts';
import type { Visit } from './provider-repository.ts';
import { providerRepository } from './provider-repository.ts';

const visitMs = 600_000;

const visitsPerAddress = 30;

/** @throws NotFound */
export function findProvider({ providers }: Pick<AuthDeps, 'providers'>, name: string): Provider {
  const provider = providers.find((one) => one.name === name);
  if (provider === undefined) throw new NotFound('provider');
  return provider;
}

interface VisitInput {
  browser: string;
  /** The session that links the provider; null: the visit is a sign-in. */
  sessionId: string | null;
  /** Hash of the invitation in the browser's cookie; null without one. */
  invitationHash: string | null;
  display: Visit['display'];
}

export type VisitEnd = { display: Visit['display'] } & (
  | { kind: 'signed-in'; signedIn: SignedInAnew }
  | { kind: 'failed'; failure: ProviderFailure }
);

/** OpenID Connect Core, section 2: at most 255 ASCII characters. */
const subjectCharacters = 255;

/** Visits to a provider, from which people come back signed in. */
export const providerVisits = {
  /**
   * Creates a ticket for a signed-in user who links a provider, because a new window cannot send
   * the access token.
   * @throws Refusal 429
   */
  async createTicket(
    deps: AuthDeps,
    visitor: Visitor,
    provider: Provider,
    caller: SignedIn,
  ): Promise<{ ticket: string; session: AuthSession }> {
    await deps.rateLimits.consume(addressAttempt('link-ticket', visitor, visitsPerAddress));
    const session = await sessionRepository.find(deps.database.reader, caller.sessionId);
    if (session === null) throw new Refusal('unauthorized');
    const ticket = deps.ids.secret();
    const expiresAt = deps.clock.now() + limits.linkTicketSeconds * 1000;
    await deps.database.write((transaction) =>
      providerRepository.insertTicket(transaction, {
        ticket,
        sessionId: session.id,
        provider: provider.name,
        expiresAt,
      }),
    );
    return { ticket, session };
  },

  /**
   * @returns the session that links; null for a ticket that is no longer valid or was fetched in
   * another browser
   */
  async claimLinkingSession(
    { database, clock }: AuthDeps,
    provider: Provider,
    ticket: string,
    ownSession: string | null,
  ): Promise<string | null> {
    const sessionId = await database.write((transaction) =>
      providerRepository.claimTicket(transaction, { ticket, provider: provider.name }, clock.now()),
    );
    return sessionId === ownSession ? sessionId : null;
  },

  /**
   * Starts a visit.
   * @returns the provider's URL to redirect to
   * @throws ProviderFailed, Refusal 429
   */
  async start(deps: AuthDeps, visitor: Visitor, provider: Provider, input: VisitInput): Promise<URL> {
    await deps.rateLimits.consume(addressAttempt('provider', visitor, visitsPerAddress));
    const { ids, clock, database } = deps;
    const secrets = { state: ids.secret(), nonce: ids.secret(), verifier: `${ids.secret()}${ids.secret()}` };
    const address = await provider.start(callbackOf(deps, provider), secrets);
    await database.write((transaction) =>
      providerRepository.insertVisit(transaction, {
        ...input,
        ...secrets,
        provider: provider.name,
        expiresAt: clock.now() + visitMs,
      }),
    );
    return address;
  },

  /** @param query the query of the callback, including the question mark */
  async end(
    deps: AuthDeps,
    visitor: Visitor,
    provider: Provider,
    query: string,
    browser: string | undefined,
  ): Promise<VisitEnd> {
    const state = new URLSearchParams(query).get('state') ?? '';
    const { database, clock, log } = deps;
    const visit =
      browser === undefined
        ? null
        : await database.write((transaction) =>
            providerRepository.claimVisit(transaction, { state, browser, provider: provider.name }, clock.now()),
          );
    if (visit === null) return { kind: 'failed', failure: 'oauth_state', display: 'popup' };
    const { display } = visit;
    try {
      const profile = checkProfile(await provider.finish(new URL(`${callbackOf(deps, provider)}${query}`), visit));
      return { kind: 'signed-in', signedIn: await welcome(deps, visitor, provider.name, visit, profile), display };
    } catch (error) {
      if (!(error instanceof ProviderFailed)) throw error;
      deps.audit.write('sign_in_refused', visitor.source, { reason: error.code, provider: provider.name });
      log.info(
        { event: 'provider_refused', provider: provider.name, reason: error.code, cause: messageOf(error.cause) },
        'a sign-in by a provider came to nothing',
      );
      return { kind: 'failed', failure: error.code, display };
    }
  },
};

/**
 * The redirect URL for the provider, always at the configured origin, whatever host the request
 * used.
 */
function callbackOf({ publicOrigin = '' }: AuthDeps, { name }: Provider): string {
  return `${publicOrigin}/auth/oauth/${name}/callback`;
}

async function welcome(
  deps: AuthDeps,
  visitor: Visitor,
  provider: string,
  visit: Visit,
  profile: ProviderProfile,
): Promise<SignedInAnew> {
  if (visit.sessionId !== null) return linkProvider(deps, visitor, provider, visit.sessionId, profile);
  const known = await providerRepository.findUser(deps.database.reader, profile.issuer, profile.subject);
  const userId = known ?? (await findOrCreateUser(deps, visitor, provider, profile, visit.invitationHash));
  return startUserSession(deps, visitor, userId, { isRemembered: true });
}

/**
 * A profile checked by the rules for input on this site: names lose invisible characters, and an
 * address that a form would refuse becomes null.
 * @throws ProviderFailed without a subject, because all such profiles would be the same person
 */
function checkProfile(profile: ProviderProfile): ProviderProfile {
  const { subject, email } = profile;
  if (subject.trim() === '' || subject.length > subjectCharacters) throw new ProviderFailed('oauth_failed');
  const isUsable = email !== null && checkEmail(email) === null;
  return {
    ...profile,
    email: isUsable ? email.trim() : null,
    isEmailVerified: isUsable && profile.isEmailVerified,
    displayName: cleanOrNone(profile.displayName, limits.displayNameCharacters),
    username: cleanOrNone(profile.username, limits.emailCharacters),
  };
}

function cleanOrNone(name: string | null, maxCharacters: number): string | null {
  const cleaned = Array.from(cleanName(name ?? ''))
    .slice(0, maxCharacters)
    .join('');
  return cleaned === '' ? null : cleaned;
}
