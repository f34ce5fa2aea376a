import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Audit, AuditSource } from '../../http/protection/audit.ts';
import type { SigningKeys } from '../../http/signing.ts';
import type { Ids } from '../../ids.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { LiveSettings } from '../../live-settings.ts';
import type { Log } from '../../log.ts';
import type { FindSuccessors } from '../users/account.ts';
import type { PasswordHasher } from '../users/password-hasher.ts';
import type { PeopleLog } from '../users/people-log.ts';
import type { SetupCode } from './first-account.ts';
import type { Provider } from './providers/provider.ts';
import type { AccessTokens } from './sessions/session-tokens.ts';

/** The services and settings that sign-in needs. */
export interface AuthDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  audit: Audit;
  keys: SigningKeys;
  tokens: AccessTokens;
  rateLimits: RateLimits;
  hasher: PasswordHasher;
  changes: PeopleLog;
  settings: LiveSettings;
  findSuccessors: FindSuccessors;
  setup: SetupCode;
  /** False: only an operator can create accounts. */
  isRegistrationOpen: boolean;
  providers: readonly Provider[];
  /** The origin that providers redirect to. It is defined whenever there are providers. */
  publicOrigin: string | undefined;
  /** The same origin as other devices reach it, if that is known. */
  originForOthers(origin: string): string;
}

/** The sender of a call, as far as sign-in needs it. */
export interface Visitor {
  /** The address by which rate limits count. */
  address: string;
  /** The source that the audit trail records. */
  source: AuditSource;
  /** Whether the call comes from this machine without a proxy in between. */
  isLocal: boolean;
  /** The random id of the browser; undefined when it has none yet. */
  viewer: string | undefined;
  /** The device in words, such as 'Firefox on Linux'. */
  device: string;
}
