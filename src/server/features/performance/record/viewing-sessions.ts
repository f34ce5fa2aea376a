import { sessionGapMs, settledAfterMs } from './sample-limits.ts';

/** From its first sample to its last, epoch milliseconds. */
export interface ViewingSession {
  startsAt: number;
  endsAt: number;
  stalls: number;
}

/** What one sample made of the sessions around it. */
export interface SessionChange {
  /** Those that it belongs to now as one: none, one, or two that it joins. */
  before: readonly ViewingSession[];
  after: ViewingSession;
  /** Outside of it no slot has more or fewer sessions. Epoch milliseconds. */
  from: number;
  until: number;
}

/** The viewing sessions of one viewer, in one quadrant or in any: those that a late sample can still reach. */
export class ViewingSessions {
  private sessions: ViewingSession[] = [];

  /** @returns the session that the sample is part of, and what has changed; null when it lies within what was known */
  add(at: number): { session: ViewingSession; change: SessionChange | null } {
    const before = this.sessions.filter(
      ({ startsAt, endsAt }) => at >= startsAt - sessionGapMs && at <= endsAt + sessionGapMs,
    );
    const [own] = before;
    if (own !== undefined && before.length === 1 && at >= own.startsAt && at <= own.endsAt)
      return { session: own, change: null };
    const session = joinSessions(before, at);
    this.sessions = [...this.sessions.filter((one) => !before.includes(one)), session];
    return { session, change: { before, after: session, ...findChanged(before, at) } };
  }

  /** Those that nothing can be added to any more. @returns whether any are left */
  forget(now: number): boolean {
    if (this.sessions.some(({ endsAt }) => endsAt < now - settledAfterMs))
      this.sessions = this.sessions.filter(({ endsAt }) => endsAt >= now - settledAfterMs);
    return this.sessions.length > 0;
  }

  /** The one that goes on; null when the last is over. */
  current(now: number): ViewingSession | null {
    return this.sessions.find(({ endsAt }) => endsAt >= now - sessionGapMs) ?? null;
  }
}

function joinSessions(before: readonly ViewingSession[], at: number): ViewingSession {
  return {
    startsAt: Math.min(at, ...before.map(({ startsAt }) => startsAt)),
    endsAt: Math.max(at, ...before.map(({ endsAt }) => endsAt)),
    stalls: before.reduce((sum, { stalls }) => sum + stalls, 0),
  };
}

/** Between the sample and the nearest ends of what it joins. */
function findChanged(before: readonly ViewingSession[], at: number): { from: number; until: number } {
  return {
    from: Math.min(at, ...before.filter(({ endsAt }) => endsAt < at).map(({ endsAt }) => endsAt)),
    until: Math.max(at, ...before.filter(({ startsAt }) => startsAt > at).map(({ startsAt }) => startsAt)),
  };
}
