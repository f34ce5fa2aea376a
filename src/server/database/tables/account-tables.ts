import type { ColumnType, Generated } from 'kysely';
import type { InvitedTier, Tier } from '#contract/rules/tiers.ts';
import type { Flag, Instant } from './column-types.ts';

interface UsersTable {
  id: string;
  username: string;
  /** The username in NFKC and lower case, like `email_key`: no two accounts have the same key. */
  username_key: string;
  email: string;
  email_key: string;
  /**
   * 1 if a provider has verified the address: only then may the same address at another provider
   * open the account.
   */
  email_verified: Flag;
  display_name: string | null;
  tier: Tier;
  /** When the tier becomes basic; null: never. */
  tier_expires_at: Instant | null;
  /** PHC string; null for people who sign in by a provider only. */
  password_hash: string | null;
  /** The last accepted version of the agreement. */
  eula_version: string | null;
  /** JSON. */
  settings: string;
  /** Counts changes after which this person's clients have to load their data again. */
  revision: number;
  /** Counts the changes of this person's favourites. */
  favourites_seq: ColumnType<number, number | undefined, number>;
  created_at: Instant;
}

/** Avatars in the small size that is served; one per person. */
interface AvatarsTable {
  user_id: string;
  /** A name derived from the content. */
  content: string;
  webp: Buffer;
}

interface SessionsTable {
  /** The id is also the family of its refresh tokens. */
  id: string;
  user_id: string;
  /** The number of the valid refresh token. */
  generation: number;
  /** When that token became valid. */
  rotated_at: Instant;
  expires_at: Instant;
  /** 1: the session lasts for days instead of hours after each use. */
  remembered: Flag;
  /** A description of the device, for its owner. */
  device: string;
  created_at: Instant;
  last_used_at: Instant;
  /** When a provider last confirmed the identity after the sign-in; null: not since. */
  proven_at: Instant | null;
}

interface IdentitiesTable {
  /** Issuer and subject identify the person at the provider; the email may change hands. */
  issuer: string;
  subject: string;
  provider: string;
  user_id: string;
  email: string | null;
  linked_at: Instant;
}

/** Invitation links, for one new account each. */
interface InvitationsTable {
  id: string;
  token_hash: string;
  tier: InvitedTier;
  created_by: string | null;
  created_at: Instant;
  expires_at: Instant;
  /** When an account was created with it; null: not yet. */
  used_at: Instant | null;
  used_by: string | null;
  revoked_at: Instant | null;
}

/** Sign-ins in progress at a provider. Each row is used once. */
interface ProviderVisitsTable {
  /** Hash of the state that the provider hands back. */
  state_hash: string;
  /** Hash of the cookie of the browser that started the visit. */
  browser_hash: string;
  provider: string;
  nonce: string;
  /** The PKCE code verifier. */
  verifier: string;
  /** The session of the person who links a provider; null for a sign-in. */
  session_id: string | null;
  /** The token hash of the browser's invitation; null without one. */
  invitation_hash: string | null;
  display: 'popup' | 'page';
  expires_at: Instant;
}

/** Tickets that allow a window to link a provider. Each row is used once. */
interface LinkTicketsTable {
  ticket_hash: string;
  session_id: string;
  provider: string;
  expires_at: Instant;
}

/** TVs that wait to be signed in. */
interface DeviceSignInsTable {
  device_hash: string;
  user_code: string;
  /** The person who approved it; null until then. */
  user_id: string | null;
  device: string;
  /** The address and time of the TV's request; null in rows of an older version. */
  address: string | null;
  asked_at: Instant | null;
  polled_at: Instant | null;
  expires_at: Instant;
}

/** Browsers from which a person has signed in before: guesses by strangers cannot lock them out. */
interface KnownDevicesTable {
  user_id: string;
  /** Hash of the browser's random name. */
  viewer_hash: string;
  used_at: Instant;
}

/** The owners of logs of watched videos. */
interface WatchedOwnersTable {
  /** The id of an account, or the hash of a browser's random name. */
  owner: string;
  /** Null for a browser. */
  user_id: string | null;
  /** A random name of the log, by which a node sees that it was forgotten and begun again. */
  log_id: string;
  /** How many entries the log has had, deleted ones included. */
  entries: number;
  /** When the last one was written. */
  last_at: Instant;
}

/** 1,024 entries of a log; the last chunk has fewer. */
interface WatchedChunksTable {
  owner: string;
  chunk: number;
  /** Video numbers, 32 bits each, little-endian. */
  numbers: Buffer;
  /** When they were shown, in epoch minutes, likewise. */
  minutes: Buffer;
  last_at: Instant;
}

/** The place in its owner's log where the round of a filter began. */
interface WatchedRoundsTable {
  owner: string;
  selection: string;
  started_at_entry: number;
  /** A bitmap of what it has seen up to `seen_entries`; null: it is read from the log. */
  seen: Buffer | null;
  seen_entries: number;
  used_at: Instant;
}

/** Counters of attempts. */
interface AttemptsTable {
  key: string;
  count: number;
  /** Every attempt is refused until this time. */
  blocked_until: Instant;
  /** The counter starts again at this time. */
  forgotten_at: Instant;
}

/** Answers of writes that carried an `Idempotency-Key`. */
interface RepeatableAnswersTable {
  /** Hash of caller, call and key. */
  key: string;
  /** `user <id>`, or `strangers`, which all callers without an account share. */
  owner: string;
  body_hash: string;
  /** Null while the first call runs. */
  status: number | null;
  /** Encrypted, because an answer may hold tokens. Null also if it was too long to be stored. */
  answer: string | null;
  forgotten_at: Instant;
}

/** Written by triggers on `users` and `sessions`. */
interface PeopleChangesTable {
  number: Generated<number>;
  /** The transaction, on PostgreSQL. */
  mark: number | null;
  user_id: string;
  /** The time of the database's own clock. */
  changed_at: Instant;
}

export interface AccountTables {
  people_changes: PeopleChangesTable;
  users: UsersTable;
  avatars: AvatarsTable;
  sessions: SessionsTable;
  identities: IdentitiesTable;
  invitations: InvitationsTable;
  provider_visits: ProviderVisitsTable;
  link_tickets: LinkTicketsTable;
  device_sign_ins: DeviceSignInsTable;
  known_devices: KnownDevicesTable;
  watched_owners: WatchedOwnersTable;
  watched_chunks: WatchedChunksTable;
  watched_rounds: WatchedRoundsTable;
  attempts: AttemptsTable;
  repeatable_answers: RepeatableAnswersTable;
}
