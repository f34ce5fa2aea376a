import { networkInterfaces } from 'node:os';
import type { Plan } from '#contract/entities/user.ts';
import type { AuthDeps } from '../features/auth/auth-deps.ts';
import type { SetupCode } from '../features/auth/first-account.ts';
import { openSetupCode } from '../features/auth/first-account.ts';
import { followProviders } from '../features/auth/providers/configured-providers.ts';
import type { OAuthAddresses } from '../features/auth/providers/provider.ts';
import { createIdentifyCaller } from '../features/auth/sessions/session-credentials.ts';
import { createAccessTokens } from '../features/auth/sessions/session-tokens.ts';
import { createSweeper } from '../features/auth/sessions/sweeper.ts';
import type { SiteGate } from '../features/gate/site-gate.ts';
import { createSiteGate } from '../features/gate/site-gate.ts';
import { readPlans } from '../features/plans/plans.ts';
import { mergedTagRepository } from '../features/tags/merged-tag-repository.ts';
import type { PasswordHasher } from '../features/users/password-hasher.ts';
import { createPasswordHasher } from '../features/users/password-hasher.ts';
import { PeopleLog } from '../features/users/people-log.ts';
import type { Foundations } from '../foundations.ts';
import { originForOthers } from '../http/local-names.ts';
import type { IdentifyCaller } from '../http/pipeline/guards.ts';
import { createAudit } from '../http/protection/audit.ts';
import { createSigningKeys } from '../http/signing.ts';
import { createRateLimits } from '../limits/rate-limits.ts';

/** The services of accounts, and of the gate before them. */
export interface AccountServices extends AuthDeps {
  identifyCaller: IdentifyCaller;
  gate: SiteGate;
  plans: readonly Plan[];
  isBillingOpen: boolean;
  /** The set-up code for the first account. */
  setup: SetupCode;
  startSweeping(): void;
  stopSweeping(): Promise<void>;
}

/** Replacements for the real services, in tests. */
export interface AccountOverrides {
  hasher?: PasswordHasher;
  /** The URLs of GitHub and Discord. */
  oauthAddresses?: Record<'github' | 'discord', OAuthAddresses>;
}

/** @throws EnvRefused if the operator's plans are invalid */
export async function createAccountServices(
  foundations: Foundations,
  { hasher = createPasswordHasher(), oauthAddresses }: AccountOverrides = {},
): Promise<AccountServices> {
  const { env, settings, database, clock, ids, log, secureOrigin } = foundations;
  const plans = await readPlans(foundations.texts);
  const rateLimits = createRateLimits(database, clock);
  const setup = await openSetupCode({ ...foundations, rateLimits });
  const keys = createSigningKeys(database, clock);
  const tokens = createAccessTokens(keys, clock);
  const changes = new PeopleLog(foundations);
  foundations.idSets.onFollow(() => changes.follow());
  const providers = followProviders(env, clock, oauthAddresses);
  const sweeper = createSweeper(foundations, setup.refresh);
  return {
    database,
    clock,
    ids,
    log,
    audit: createAudit(log),
    keys,
    tokens,
    changes,
    settings,
    findSuccessors: mergedTagRepository.findSuccessors,
    hasher,
    plans,
    setup,
    rateLimits,
    // Administrators can change these while the server runs.
    get providers() {
      return providers();
    },
    get publicOrigin() {
      return env.publicOrigin;
    },
    get isRegistrationOpen() {
      return env.isRegistrationOpen;
    },
    originForOthers: (origin) =>
      originForOthers(origin, {
        host: env.host,
        interfaces: networkInterfaces(),
        names: secureOrigin?.names() ?? null,
      }) ?? origin,
    isBillingOpen: env.billing === 'open',
    gate: createSiteGate(env, keys, clock),
    identifyCaller: createIdentifyCaller({ database, clock, keys, tokens, changes }),
    startSweeping: sweeper.start,
    stopSweeping: sweeper.stop,
  };
}
