import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Audit, AuditSource } from '../../http/protection/audit.ts';
import type { RateLimits } from '../../http/protection/rate-limits.ts';
import type { SigningKeys } from '../../http/signing.ts';
import type { Ids } from '../../ids.ts';
import type { Log } from '../../log.ts';
import type { PasswordHasher } from '../users/password-hasher.ts';
import type { UserChanges } from '../users/profile.ts';
import type { SetupCode } from './first-account.ts';
import type { Provider } from './providers/provider.ts';
import type { AccessTokens } from './sessions/session-tokens.ts';

/** What signing in works with. */
export interface AuthDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  audit: Audit;
  keys: SigningKeys;
  tokens: AccessTokens;
  attempts: RateLimits;
  hasher: PasswordHasher;
  changes: UserChanges;
  setup: SetupCode;
  /** False: only an operator makes accounts. */
  isRegistrationOpen: boolean;
  providers: readonly Provider[];
  /** Where providers send people back to; absent only without any. */
  publicOrigin: string | undefined;
  /** The same origin as other devices reach it, where it is known. */
  originForOthers(origin: string): string;
}

/** Where a call comes from, as far as signing in has to know. */
export interface Visitor {
  /** What counts as one address. */
  address: string;
  /** What the audit trail says of it. */
  source: AuditSource;
  /** On the machine itself, with no proxy between. */
  isLocal: boolean;
  /** The random name of the browser; undefined when it has none yet. */
  viewer: string | undefined;
  /** In words: 'Firefox on Linux'. */
  device: string;
}
