import { limits } from '#contract/limits.ts';

/** One sign-in on one device. Its id is also the family of its refresh tokens. Instants are epoch milliseconds. */
export interface Session {
  id: string;
  userId: string;
  /** Number of the refresh token that is due. */
  generation: number;
  rotatedAt: number;
  expiresAt: number;
  isRemembered: boolean;
  /** In words: 'Firefox on Linux'. */
  device: string;
  createdAt: number;
  lastUsedAt: number;
  /** When a provider last said who this is, after the sign-in; null: not since. */
  provenAt: number | null;
}

const hourMs = 3_600_000;

/** Milliseconds that a session lives on after each use (§9 Account constants). */
export function sessionLifeMs(isRemembered: boolean): number {
  return (isRemembered ? limits.rememberMeDays * 24 : limits.refreshTokenHours) * hourMs;
}
