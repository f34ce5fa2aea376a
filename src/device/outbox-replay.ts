import { limits } from '#contract/limits.ts';
import type { OutboxCallName, OutboxEntry } from './outbox-entry.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { TabTurn } from './tab-turn.ts';
import { after, retryWaitMs } from './timers.ts';

/** The wait before another tab's turn is checked again: that tab may be suspended. */
const takenWaitMs = 30_000;

/** Schedules the replay: at once, after a wait, or at the next change. */
export class ReplaySchedule {
  private readonly runOnce: () => Promise<ReplayEnd>;
  private readonly chance: () => number;
  private failures = 0;
  private running: Promise<ReplayEnd> | null = null;
  private isWantedAgain = false;
  /** The server asked for the current wait, or refuses the session of the owner. */
  private isHeldBack = false;
  private cancelWait = () => {};

  constructor(runOnce: () => Promise<ReplayEnd>, chance: () => number = Math.random) {
    this.runOnce = runOnce;
    this.chance = chance;
  }

  /**
   * Starts a replay now, ending any wait. @returns the end of that replay, or of the one in
   * progress
   */
  start(): Promise<ReplayEnd> {
    this.cancelWait();
    this.isHeldBack = false;
    this.running ??= this.run();
    return this.running;
  }

  /**
   * Starts a replay when a change was added or the network may be back, unless the server asked for
   * a wait.
   */
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
    // A failure of the storage is tried again, like a failure of the network.
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
  /** Sends a change with its key, never with another user's token. */
  send(entry: OutboxEntry): Promise<ReplayAnswer>;
  /**
   * The id of the existing tag that has the name of a creation; null when there is none. @throws
   * without an answer
   */
  findTag(entry: OutboxEntry): Promise<string | null>;
}

export interface ReplayDeps {
  store: Pick<OutboxStore, 'startNext' | 'putBack' | 'refuse' | 'finish'>;
  network: ReplayNetwork;
  turn: TabTurn;
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Called after each change of the store. `reply`: the server's answer to a change that is done.
   */
  onProgress(entry: OutboxEntry, reply?: unknown): void;
}

/**
 * `drained`: nothing is left to send. `taken`: another tab is sending. `later`: the server is
 * unreachable, or asked for a wait.
 */
export type ReplayEnd =
  | { kind: 'drained' }
  | { kind: 'taken' }
  | { kind: 'not-signed-in' }
  | { kind: 'later'; askedMs: number | null; hasProgressed: boolean };

/**
 * After this many changes that fail with a 500, the replay ends: the server fails at everything.
 */
const mostHeldBack = 3;

/**
 * Sends one user's waiting changes, in order and one at a time, until none is left or one has to
 * wait. A refused change is kept, and the next one is sent. A change that fails with a 500 waits
 * for the next replay, together with the changes that depend on it, while the others are sent. A
 * replay can be interrupted at any point: the next one sends an unanswered change again with the
 * same key.
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

/** Null means that the next change may be sent. */
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
    // The list of tags is not available: the creation is sent again, and refused again.
    await deps.store.putBack(entry.number);
    return { kind: 'later', askedMs: null, isOwn: false };
  }
}

/** The result of sending a change. */
export type ReplayAnswer =
  | {
      kind: 'answered';
      status: number;
      /** JSON; null for 204. */
      body: unknown;
      /** The reason of a refusal. */
      sentence: string;
      retryAfterMs: number | null;
    }
  | { kind: 'unanswered' }
  /** Its owner is not signed in, or the session is refused. */
  | { kind: 'not-signed-in' };

type Verdict =
  | { kind: 'done'; createdId: string | null }
  /** The tag may exist already: the one of that name is used. */
  | { kind: 'adopt'; sentence: string }
  | { kind: 'refused'; sentence: string }
  /**
   * `askedMs`: the wait that the server asks for. `isOwn`: the server answers, and fails at this
   * change only.
   */
  | { kind: 'later'; askedMs: number | null; isOwn: boolean }
  | { kind: 'not-signed-in' };

/**
 * Whether the server may have deleted the key, so that the change may have been applied before. A
 * clock that was set back counts, too.
 */
function isKeyForgotten({ createdAt }: Pick<OutboxEntry, 'createdAt'>, now: number): boolean {
  const age = now - createdAt;
  return age < 0 || age >= limits.idempotencyHours * 3_600_000;
}

/** Decides what an answer means for its change (§4 Outbox). */
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

/**
 * Whether the server could not handle the call now: too many calls, stopping, or an error of its
 * own.
 */
function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Calls that also succeed when their object no longer exists. */
const removals: readonly OutboxCallName[] = ['deleteTag', 'removeTag'];

function isRemoval(call: OutboxCallName): boolean {
  return removals.includes(call);
}
