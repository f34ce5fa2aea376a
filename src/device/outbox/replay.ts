import type { TabTurn } from '../tab-turn.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { ReplayAnswer, Verdict } from './verdict.ts';
import { judge } from './verdict.ts';

export interface ReplayNetwork {
  /** Sends a change with its key, in the name of its owner alone. */
  send(entry: OutboxEntry): Promise<ReplayAnswer>;
  /** The id of the tag that a creation wants; null where there is none. @throws where nobody answers */
  findTag(entry: OutboxEntry): Promise<string | null>;
}

export interface ReplayDeps {
  store: Pick<OutboxStore, 'startNext' | 'putBack' | 'refuse' | 'finish'>;
  network: ReplayNetwork;
  turn: TabTurn;
  /** Epoch milliseconds. */
  now(): number;
  /** After each change of the store. `reply`: what the server has answered to a change that is done. */
  onProgress(entry: OutboxEntry, reply?: unknown): void;
}

/**
 * `drained`: nothing is left to send. `taken`: another tab is sending. `later`: the server could not be asked, or asks
 * for a wait.
 */
export type ReplayEnd =
  | { kind: 'drained' }
  | { kind: 'taken' }
  | { kind: 'not-signed-in' }
  | { kind: 'later'; askedMs: number | null; hasProgressed: boolean };

/** A server that fails at so many changes of one replay fails at everything. */
const mostHeldBack = 3;

/**
 * Sends what waits of one person, in order and one at a time, until nothing is left or one has to wait. A change that
 * the server refuses is kept, and the next one goes on. One that the server fails at (500) waits for the next replay,
 * together with what depends on it, and the others go on. Ended at any point, the next replay goes on from there: what
 * was under way is sent again with the same key.
 */
export function replay(userId: string, deps: ReplayDeps): Promise<ReplayEnd> {
  return deps.turn.run(
    (isHeld) => replayHeld(userId, deps, isHeld),
    () => ({ kind: 'taken' }),
  );
}

async function replayHeld(userId: string, deps: ReplayDeps, isHeld: () => Promise<boolean>): Promise<ReplayEnd> {
  const heldBack = new Set<number>();
  let hasProgressed = false;
  while (await isHeld()) {
    const entry = await deps.store.startNext(userId, heldBack);
    if (!entry) return heldBack.size === 0 ? { kind: 'drained' } : { kind: 'later', askedMs: null, hasProgressed };
    deps.onProgress(entry);
    const end = await sendOne(entry, deps);
    if (end?.kind === 'later' && end.isOwn && heldBack.size < mostHeldBack) heldBack.add(entry.number);
    else if (end) return end.kind === 'later' ? { kind: 'later', askedMs: end.askedMs, hasProgressed } : end;
    else hasProgressed = true;
  }
  return { kind: 'taken' };
}

type Stop = Extract<Verdict, { kind: 'not-signed-in' | 'later' }>;

/** Null: the next one may be sent. */
async function sendOne(entry: OutboxEntry, deps: ReplayDeps): Promise<Stop | null> {
  const answer = await deps.network.send(entry);
  const verdict = judge(entry, answer, deps.now());
  switch (verdict.kind) {
    case 'done':
      return finish(entry, verdict.createdId, answer, deps);
    case 'refused':
      return refuse(entry, verdict.sentence, deps);
    case 'adopt':
      return adopt(entry, verdict.sentence, answer, deps);
    default:
      await deps.store.putBack(entry.number);
      deps.onProgress(entry);
      return verdict;
  }
}

async function finish(
  entry: OutboxEntry,
  createdId: string | null,
  answer: ReplayAnswer,
  { store, onProgress }: ReplayDeps,
): Promise<null> {
  await store.finish(entry, createdId);
  onProgress(entry, answer.kind === 'answered' ? answer.body : null);
  return null;
}

async function refuse(entry: OutboxEntry, sentence: string, { store, onProgress }: ReplayDeps): Promise<null> {
  await store.refuse(entry.number, sentence);
  onProgress(entry);
  return null;
}

async function adopt(
  entry: OutboxEntry,
  sentence: string,
  answer: ReplayAnswer,
  deps: ReplayDeps,
): Promise<Stop | null> {
  try {
    const id = await deps.network.findTag(entry);
    return await (id === null ? refuse(entry, sentence, deps) : finish(entry, id, answer, deps));
  } catch {
    // The list could not be had: the creation is sent again, and refused again.
    await deps.store.putBack(entry.number);
    return { kind: 'later', askedMs: null, isOwn: false };
  }
}
