import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { endSession as endSessionCall, listSessions } from '#contract/endpoints.ts';
import type { Session } from '#contract/entities/account.ts';
import * as failures from '#contract/failures.ts';

interface SessionsState {
  /** The user's sessions; null before the first reply. */
  list: Session[] | null;
  /** The list could not be loaded, and no older one is there. */
  hasFailed: boolean;
  /** Ids of sessions that are being ended. */
  ending: string[];
  /** Why a session could not be ended. */
  refusal: string | null;
}

const empty = { list: null, hasFailed: false, refusal: null };

export const sessions = proxy<SessionsState>({ ...empty, ending: [] });

/** Replies to an older question, as of another user, are ignored. */
let turn = 0;

export async function loadSessions(): Promise<void> {
  turn += 1;
  const own = turn;
  sessions.hasFailed = false;
  const reply = await call(listSessions).catch(() => null);
  if (own !== turn) return;
  sessions.list = reply?.sessions ?? sessions.list;
  sessions.hasFailed = sessions.list === null;
}

/** A session that no longer exists counts as ended. */
export async function endOneSession(id: string): Promise<void> {
  sessions.refusal = null;
  sessions.ending.push(id);
  try {
    await call(endSessionCall, { params: { id } }).catch(ignoreMissing);
    sessions.list = sessions.list?.filter((one) => one.id !== id) ?? null;
  } catch (error) {
    sessions.refusal = error instanceof HttpError ? error.message : failures.connection;
  } finally {
    sessions.ending = sessions.ending.filter((one) => one !== id);
  }
}

export function resetSessions(): void {
  turn += 1;
  Object.assign(sessions, empty, { ending: [] });
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof HttpError && error.status === 404)) throw error;
}
