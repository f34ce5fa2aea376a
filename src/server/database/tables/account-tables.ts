import type { InvitedTier } from '#contract/rules/plans.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import type { Flag, Instant } from './column-types.ts';

interface UsersTable {
  id: string;
  username: string;
  /** NFKC, lower case, as is the key of the address: what makes two accounts the same. */
  username_key: string;
  email: string;
  email_key: string;
  /** 1 when a provider vouched for the address: only then may another provider's word for it open the account. */
  email_verified: Flag;
  display_name: string | null;
  tier: Tier;
  /** From here on the tier is basic; null: never. */
  tier_expires_at: Instant | null;
  /** PHC text; null for those who come by a provider alone. */
  password_hash: string | null;
  /** The last version of the agreement that was accepted. */
  eula_version: string | null;
  /** JSON. */
  settings: string;
  /** Counts what clients of this person have to load again. */
  revision: number;
  created_at: Instant;
}

/** Avatars as they are served, small: one for a person. */
interface AvatarsTable {
  user_id: string;
  /** Names the avatar by its content. */
  content: string;
  webp: Buffer;
}

export interface SessionsTable {
  /** Also the family of its refresh tokens. */
  id: string;
  user_id: string;
  /** Number of the refresh token that is due. */
  generation: number;
  /** When it became due. */
  rotated_at: Instant;
  expires_at: Instant;
  /** 1: lives for days, not hours, after each use. */
  remembered: Flag;
  /** In words, for its owner. */
  device: string;
  created_at: Instant;
  last_used_at: Instant;
  /** When a provider last said who this is, after the sign-in; null: not since. */
  proven_at: Instant | null;
}

interface IdentitiesTable {
  /** With the subject, who somebody is at the provider; the address there may change hands. */
  issuer: string;
  subject: string;
  provider: string;
  user_id: string;
  email: string | null;
  linked_at: Instant;
}

/** Links that let one person in each. */
interface InvitationsTable {
  id: string;
  token_hash: string;
  tier: InvitedTier;
  created_by: string | null;
  created_at: Instant;
  expires_at: Instant;
  /** When an account was made with it; null: not yet. */
  used_at: Instant | null;
  used_by: string | null;
  revoked_at: Instant | null;
}

/** Sign-ins that are away at a provider. A row is taken once. */
interface ProviderVisitsTable {
  /** Hash of the state that the provider hands back. */
  state_hash: string;
  /** Hash of the cookie of the browser that left. */
  browser_hash: string;
  provider: string;
  nonce: string;
  /** PKCE's secret. */
  verifier: string;
  /** The session of whoever links; null: somebody signs in. */
  session_id: string | null;
  /** Of the invitation that the browser came with; null without one. */
  invitation_hash: string | null;
  display: 'popup' | 'page';
  expires_at: Instant;
}

/** Tickets with which a window may link a provider. A row is taken once. */
interface LinkTicketsTable {
  ticket_hash: string;
  session_id: string;
  provider: string;
  expires_at: Instant;
}

/** TVs that wait for somebody to sign them in. */
interface DeviceSignInsTable {
  device_hash: string;
  user_code: string;
  /** Who approved; null until somebody did. */
  user_id: string | null;
  device: string;
  /** Where it asked from, and when; null in rows of an older version. */
  address: string | null;
  asked_at: Instant | null;
  polled_at: Instant | null;
  expires_at: Instant;
}

/** Browsers that somebody has signed in from: strangers who guess cannot lock them out. */
interface KnownDevicesTable {
  user_id: string;
  /** Hash of the browser's random name. */
  viewer_hash: string;
  used_at: Instant;
}

/** Counters of tries. */
interface AttemptsTable {
  key: string;
  count: number;
  /** Until then every try is refused. */
  blocked_until: Instant;
  /** From then on the count begins anew. */
  forgotten_at: Instant;
}

/** Answers of writes that carried an `Idempotency-Key`. */
interface RepeatableAnswersTable {
  /** Hash of caller, call and key. */
  key: string;
  /** `user <id>`, or `strangers` for everybody without an account together. */
  owner: string;
  body_hash: string;
  /** Null while the first call runs. */
  status: number | null;
  /** Sealed: an answer may hold tokens. Null also when it was too long to be kept. */
  answer: string | null;
  forgotten_at: Instant;
}

export interface AccountTables {
  users: UsersTable;
  avatars: AvatarsTable;
  sessions: SessionsTable;
  identities: IdentitiesTable;
  invitations: InvitationsTable;
  provider_visits: ProviderVisitsTable;
  link_tickets: LinkTicketsTable;
  device_sign_ins: DeviceSignInsTable;
  known_devices: KnownDevicesTable;
  attempts: AttemptsTable;
  repeatable_answers: RepeatableAnswersTable;
}
