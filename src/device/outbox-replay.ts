import { limits } from '#contract/limits.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { isRemoval } from './outbox-entry.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { TabTurn } from './tab-turn.ts';
import { after, retryWaitMs } from './timers.ts';

/** Another tab that sends may be suspended: it is looked after again. */
const takenWaitMs = 30_000;

/** When the replay runs: at once, again after a wait, or not before something has changed. */
export class ReplaySchedule {
  private readonly runOnce: () => Promise<ReplayEnd>;
  private readonly chance: () => number;
  private failures = 0;
  private running: Promise<ReplayEnd> | null = null;
  private isWantedAgain = false;
  /** The server has asked for the present wait, or lets its owner in no more. */
  private isHeldBack = false;
  private cancelWait = () => {};

  constructor(runOnce: () => Promise<ReplayEnd>, chance: () => number = Math.random) {
    this.runOnce = runOnce;
    this.chance = chance;
  }

  /** Now, whatever it was waiting for. @returns how that replay, or the one under way, has ended */
  start(): Promise<ReplayEnd> {
    this.cancelWait();
    this.isHeldBack = false;
    this.running ??= this.run();
    return this.running;
  }

  /** A change was added, or the network may be back: it goes on waiting for what the server has asked for. */
  hurry(): void {
    if (this.running) this.isWantedAgain = true;
    else if (!this.isHeldBack) void this.start();
  }

  stop(): void {
    this.cancelWait();
    this.failures = 0;
    this.isHeldBack = false;
  }

  private async run(): Promise<ReplayEnd> {
    this.isWantedAgain = false;
    // What this device cannot store or read now is tried again, as what cannot be sent.
    const end = await this.runOnce().catch((): ReplayEnd => ({ kind: 'later', askedMs: null, hasProgressed: false }));
    this.running = null;
    this.planNext(end);
    return end;
  }

  private planNext(end: ReplayEnd): void {
    if (end.kind === 'later') this.wait(end);
    else if (end.kind === 'taken') this.cancelWait = after(takenWaitMs, () => void this.start());
    else this.failures = 0;
    if (end.kind === 'not-signed-in') this.isHeldBack = true;
    const isOver = end.kind === 'drained' || end.kind === 'not-signed-in';
    if (isOver && this.isWantedAgain) void this.start();
  }

  private wait({ askedMs, hasProgressed }: Extract<ReplayEnd, { kind: 'later' }>): void {
    this.failures = hasProgressed ? 1 : this.failures + 1;
    this.isHeldBack = askedMs !== null;
    this.cancelWait = after(askedMs ?? retryWaitMs(this.failures, this.chance()), () => void this.start());
  }
}

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

/** What came of sending a change. */
export type ReplayAnswer =
  | {
      kind: 'answered';
      status: number;
      /** JSON; null for 204. */
      body: unknown;
      /** Why it was refused. */
      sentence: string;
      retryAfterMs: number | null;
    }
  | { kind: 'unanswered' }
  /** Its owner is not here, or not let in. */
  | { kind: 'not-signed-in' };

type Verdict =
  | { kind: 'done'; createdId: string | null }
  /** The tag may be there already: the one of that name is used. */
  | { kind: 'adopt'; sentence: string }
  | { kind: 'refused'; sentence: string }
  /** `askedMs`: the wait that the server asks for. `isOwn`: the server answers, and fails at this change alone. */
  | { kind: 'later'; askedMs: number | null; isOwn: boolean }
  | { kind: 'not-signed-in' };

/** Whether the server may have forgotten its key, so that it may have been done before. A clock that went back counts. */
function isKeyForgotten({ createdAt }: Pick<OutboxEntry, 'createdAt'>, now: number): boolean {
  const age = now - createdAt;
  return age < 0 || age >= limits.idempotencyHours * 3_600_000;
}

/** What the answer means for a change (§4 Outbox). */
function judge(entry: OutboxEntry, answer: ReplayAnswer, now: number): Verdict {
  if (answer.kind === 'unanswered') return { kind: 'later', askedMs: null, isOwn: false };
  if (answer.kind === 'not-signed-in' || answer.status === 401) return { kind: 'not-signed-in' };
  const { status, sentence } = answer;
  if (status < 300) return judgeSuccess(entry, answer.body);
  if (isTemporary(status)) return { kind: 'later', askedMs: answer.retryAfterMs, isOwn: status === 500 };
  if (status === 404 && isRemoval(entry.call)) return { kind: 'done', createdId: null };
  const isAmbiguous = entry.mayAdopt || isKeyForgotten(entry, now);
  if (status === 409 && entry.call === 'createTag' && isAmbiguous) return { kind: 'adopt', sentence };
  return { kind: 'refused', sentence };
}

function judgeSuccess({ call }: OutboxEntry, body: unknown): Verdict {
  if (call !== 'createTag') return { kind: 'done', createdId: null };
  const id = (body as { tag?: { id?: unknown } } | null)?.tag?.id;
  return { kind: 'done', createdId: typeof id === 'string' ? id : null };
}

/** The server could not do it now: too many calls, stopping, or at fault itself. */
function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
