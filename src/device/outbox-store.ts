import type { IDBPObjectStore } from 'idb';
import { deviceFailures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { nameKey } from '#contract/rules/text.ts';
import type { Connection, DeviceDatabase } from './device-database.ts';
import { changeStore, deviceDatabase } from './device-database.ts';
import type { DeviceSchema } from './device-schema.ts';
import type { OutboxDraft, OutboxEntry } from './outbox-entry.ts';
import {
  isOutboxCall,
  isShown,
  isUnsent,
  NotStored,
  refersTo,
  replaceIds,
  temporaryIdsOf,
  toEntry,
} from './outbox-entry.ts';
import { now } from './timers.ts';

/** The entries within one change, in the database or in memory. */
interface OutboxRows {
  all(): Promise<OutboxEntry[]>;
  /** A user's entries in the order of their numbers. */
  ofUser(userId: string): Promise<OutboxEntry[]>;
  /** The first entry of the user that fits. */
  find(userId: string, fits: (entry: OutboxEntry) => boolean): Promise<OutboxEntry | null>;
  get(number: number): Promise<OutboxEntry | undefined>;
  add(entry: Omit<OutboxEntry, 'number'>): Promise<number>;
  put(entry: OutboxEntry): Promise<unknown>;
  delete(number: number): Promise<void>;
}

type Store = IDBPObjectStore<DeviceSchema, ['outbox'], 'outbox', 'readwrite'>;

function rowsIn(store: Store): OutboxRows {
  return {
    all: async () => (await store.getAll()) as OutboxEntry[],
    ofUser: async (userId) => (await store.index('by-user').getAll(rangeOf(userId))) as OutboxEntry[],
    find: async (userId, fits) => {
      let cursor = await store.index('by-user').openCursor(rangeOf(userId));
      while (cursor && !fits(cursor.value as OutboxEntry)) cursor = await cursor.continue();
      return (cursor?.value ?? null) as OutboxEntry | null;
    },
    get: async (number) => (await store.get(number)) as OutboxEntry | undefined,
    add: (entry) => store.add(entry),
    put: (entry) => store.put(entry),
    delete: (number) => store.delete(number),
  };
}

/** The range of all entries of a user: in IndexedDB an array sorts after every number. */
function rangeOf(userId: string): IDBKeyRange {
  return IDBKeyRange.bound([userId], [userId, []]);
}

/** The entries without a database, for the life of the page. */
class RowsInMemory implements OutboxRows {
  private readonly entries = new Map<number, OutboxEntry>();
  /** Entries keep their numbers when they move to the database, whose own are lower. */
  private lastNumber = now() * 1_000;

  /** Removes all entries, which are then stored in the database. */
  take(): OutboxEntry[] {
    const taken = [...this.entries.values()];
    this.entries.clear();
    return taken;
  }

  async all(): Promise<OutboxEntry[]> {
    return [...this.entries.values()];
  }

  async ofUser(userId: string): Promise<OutboxEntry[]> {
    return (await this.all()).filter((entry) => entry.userId === userId);
  }

  async find(userId: string, fits: (entry: OutboxEntry) => boolean): Promise<OutboxEntry | null> {
    return (await this.ofUser(userId)).find(fits) ?? null;
  }

  async get(number: number): Promise<OutboxEntry | undefined> {
    return this.entries.get(number);
  }

  async add(entry: Omit<OutboxEntry, 'number'>): Promise<number> {
    this.lastNumber += 1;
    await this.put({ ...entry, number: this.lastNumber });
    return this.lastNumber;
  }

  async put(entry: OutboxEntry): Promise<void> {
    this.entries.set(entry.number, entry);
  }

  async delete(number: number): Promise<void> {
    this.entries.delete(number);
  }
}

const dayMs = 86_400_000;

/** The changes that wait for the network on this device, each of which belongs to one person. */
export class OutboxStore {
  private readonly database: DeviceDatabase;
  private readonly memory = new RowsInMemory();
  private lastInMemory: Promise<unknown> = Promise.resolve();

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  /** False when the entries are lost with the page. */
  isLasting(): Promise<boolean> {
    return this.database.isLasting();
  }

  /** @throws NotStored when the outbox is full, or the device has no room */
  async add(draft: OutboxDraft): Promise<OutboxEntry> {
    try {
      return await this.change((rows) => addTo(rows, draft));
    } catch (error) {
      throw error instanceof NotStored ? error : new NotStored(deviceFailures.changeNotStored);
    }
  }

  /** Replaces temporary ids in `args` by the ids that the server has given meanwhile. */
  resolve<Args extends Pick<OutboxEntry, 'params' | 'body'>>(userId: string, args: Args): Promise<Args> {
    if (temporaryIdsOf(args).length === 0) return Promise.resolve(args);
    return this.change(async (rows) => ({ ...args, ...replaceIds(args, givenIds(await rows.ofUser(userId))) }));
  }

  /**
   * The server's ids of tags, without those that were never created. Null while one of them is still
   * to be created.
   */
  async findTagIds(userId: string, tagIds: readonly string[]): Promise<string[] | null> {
    const { body } = await this.resolve(userId, { params: null, body: { tag_ids: tagIds } });
    const left = temporaryIdsOf({ params: null, body });
    const isWaiting = (entry: OutboxEntry) => isUnsent(entry) && left.includes(entry.temporaryId ?? '');
    if (left.length > 0 && (await this.list(userId)).some(isWaiting)) return null;
    return [...new Set(body.tag_ids)].filter((id) => !left.includes(id));
  }

  /** The user's waiting and refused changes, in order. */
  list(userId: string): Promise<OutboxEntry[]> {
    return this.change(async (rows) => (await rows.ofUser(userId)).filter(isShown));
  }

  hasUnsent(userId: string): Promise<boolean> {
    return this.change(async (rows) => (await rows.find(userId, isUnsent)) !== null);
  }

  /**
   * Marks the next change of a user as being sent. A change that needs a tag that was never created
   * is refused instead.
   * @param heldBack numbers of changes that wait, together with those that depend on them
   */
  startNext(userId: string, heldBack: ReadonlySet<number> = new Set()): Promise<OutboxEntry | null> {
    return this.change(async (rows) => {
      for (;;) {
        const next = await rows.find(userId, unlessHeldBack(heldBack));
        if (!next) return null;
        const isReady = temporaryIdsOf(next).length === 0;
        const started: OutboxEntry = isReady
          ? { ...next, state: 'sending' }
          : refuse(next, deviceFailures.channelNotCreated);
        await rows.put(started);
        if (isReady) return started;
      }
    });
  }

  /** Makes a change wait again, with the same key. */
  putBack(number: number): Promise<void> {
    return this.update(number, (entry) => ({ ...entry, state: 'waiting' }));
  }

  refuse(number: number, sentence: string): Promise<void> {
    return this.update(number, (entry) => refuse(entry, sentence));
  }

  /**
   * Removes a change that the server has applied. Changes that refer to the tag that it created get
   * the tag's id.
   * @param createdId the id of the created tag
   */
  finish({ number, userId }: Pick<OutboxEntry, 'number' | 'userId'>, createdId: string | null = null): Promise<void> {
    return this.change(async (rows) => {
      const entry = await rows.get(number);
      if (!entry) return;
      if (createdId === null || entry.temporaryId === null) return rows.delete(number);
      await rows.put({ ...entry, state: 'done', createdId });
      const given = new Map([[entry.temporaryId, createdId]]);
      for (const other of await rows.ofUser(userId))
        if (refersTo(other, entry.temporaryId)) await rows.put({ ...other, ...replaceIds(other, given) });
    });
  }

  /**
   * Makes a refused change wait again, together with the refused changes that need its tag and the
   * refused creation of the tag that it needs.
   */
  retry(entry: OutboxEntry, newKey: () => string): Promise<void> {
    return this.change(async (rows) => {
      for (const other of await rows.ofUser(entry.userId))
        if (other.state === 'refused' && isRelated(other, entry)) await rows.put(waitAgain(other, newKey()));
    });
  }

  discard(number: number): Promise<void> {
    return this.change((rows) => rows.delete(number));
  }

  discardAll(userId: string): Promise<void> {
    return this.change(async (rows) => {
      for (const { number } of await rows.ofUser(userId)) await rows.delete(number);
    });
  }

  /**
   * Called when the viewer is known. Deletes entries whose time is over, and those of calls that
   * this version does not know; the time of completed creations, and of changes whose owner is not
   * signed in, starts.
   * @param time by which is deleted (`sweepTime`)
   */
  open(userId: string | null, time: number): Promise<void> {
    return this.change(async (rows) => {
      for (const entry of await rows.all()) {
        const keptUntil = keptUntilOf(entry, userId, time);
        if (isOver(entry, time)) await rows.delete(entry.number);
        else if (keptUntil !== entry.keptUntil) await rows.put({ ...entry, keptUntil });
      }
    });
  }

  private update(number: number, change: (entry: OutboxEntry) => OutboxEntry): Promise<void> {
    return this.change(async (rows) => {
      const entry = await rows.get(number);
      if (entry && isUnsent(entry)) await rows.put(change(entry));
    });
  }

  /** `work` must await nothing but its rows. */
  private change<Result>(work: (rows: OutboxRows) => Promise<Result>): Promise<Result> {
    return this.database.run(
      (connection) => this.changeStored(connection, work),
      () => this.changeInMemory(work),
    );
  }

  /** Entries from a time when the database did not open yet move there first. */
  private async changeStored<Result>(
    connection: Connection,
    work: (rows: OutboxRows) => Promise<Result>,
  ): Promise<Result> {
    const early = this.memory.take();
    try {
      return await changeStore(connection, 'outbox', async (store) => {
        const rows = rowsIn(store);
        for (const entry of early) await rows.put(entry);
        return work(rows);
      });
    } catch (error) {
      for (const entry of early) await this.memory.put(entry);
      throw error;
    }
  }

  /** Runs changes one after another, as transactions do. */
  private changeInMemory<Result>(work: (rows: OutboxRows) => Promise<Result>): Promise<Result> {
    const result = this.lastInMemory.then(() => work(this.memory));
    this.lastInMemory = result.catch(() => {}); // its caller handles the failure
    return result;
  }
}

/** Creates a test for the first change that may be sent now; it expects the entries in order. */
function unlessHeldBack(numbers: ReadonlySet<number>): (entry: OutboxEntry) => boolean {
  const held: OutboxEntry[] = [];
  return (entry) => {
    if (!isUnsent(entry)) return false;
    const waits = numbers.has(entry.number) || held.some((before) => dependsOn(entry, before));
    if (waits) held.push(entry);
    return !waits;
  };
}

async function addTo(rows: OutboxRows, draft: OutboxDraft): Promise<OutboxEntry> {
  const own = await rows.ofUser(draft.userId);
  checkRoom(own, draft);
  const entry = toEntry({ ...draft, ...replaceIds(draft, givenIds(own)) });
  return { ...entry, number: await rows.add(entry) };
}

function refuse(entry: OutboxEntry, refusal: string): OutboxEntry {
  return { ...entry, state: 'refused', refusal };
}

/** The server keeps no key of a refusal, so that a new one is always safe. */
function waitAgain(entry: OutboxEntry, idempotencyKey: string): OutboxEntry {
  return { ...entry, idempotencyKey, state: 'waiting', refusal: null, mayAdopt: true };
}

function isRelated(other: OutboxEntry, entry: OutboxEntry): boolean {
  return other.number === entry.number || refersTo(other, entry.temporaryId) || refersTo(entry, other.temporaryId);
}

/** The server's ids by their temporary ones. */
function givenIds(entries: readonly OutboxEntry[]): Map<string, string> {
  const given = new Map<string, string>();
  for (const { temporaryId, createdId } of entries)
    if (temporaryId !== null && createdId !== null) given.set(temporaryId, createdId);
  return given;
}

function isOver(entry: OutboxEntry, time: number): boolean {
  return !isOutboxCall(entry) || (entry.keptUntil !== null && entry.keptUntil <= time);
}

/** An end that is further away was set by a clock that was ahead. */
function keptUntilOf(entry: OutboxEntry, viewer: string | null, time: number): number | null {
  const { state, userId, keptUntil } = entry;
  if (state !== 'done' && userId === viewer) return null;
  const latest = time + (state === 'done' ? 1 : limits.outboxKeptDays) * dayMs;
  return Math.min(keptUntil ?? latest, latest);
}

export const outboxStore = new OutboxStore(deviceDatabase);

type Change = Pick<OutboxEntry, 'call' | 'params' | 'body' | 'temporaryId'>;

/** The objects that a change alters, and those that it needs, as keys of this module. */
interface Touched {
  alters: string[];
  needs: string[];
}

/** Whether the outcome of a change may differ when an earlier change is applied after it. */
function dependsOn(later: Change, earlier: Change): boolean {
  const [after, before] = [touchedBy(later), touchedBy(earlier)];
  const meets = (one: readonly string[], other: readonly string[]) => one.some((key) => other.includes(key));
  return meets(after.alters, before.alters) || meets(after.needs, before.alters) || meets(after.alters, before.needs);
}

function touchedBy({ call, params, body, temporaryId }: Change): Touched {
  const { name, tag_ids = [] } = (body ?? {}) as { name?: string; tag_ids?: readonly string[] };
  const names = name === undefined ? [] : [`name ${nameKey(name)}`];
  const needs = tag_ids.map(tagKey);
  switch (call) {
    case 'createTag':
      return { alters: [...names, ...(temporaryId === null ? [] : [tagKey(temporaryId)])], needs };
    case 'updateTag':
    case 'deleteTag':
      return { alters: [...names, tagKey(params?.id ?? '')], needs };
    case 'assignTags':
    case 'removeTag':
      return { alters: [`video ${params?.path}`], needs: [...needs, ...(params?.tagId ? [tagKey(params.tagId)] : [])] };
    default:
      return { alters: [call], needs };
  }
}

function tagKey(id: string): string {
  return `tag ${id}`;
}

type Sized = Pick<OutboxEntry, 'state' | 'params' | 'body' | 'subject'>;

/** @throws NotStored when there is no room for another change */
function checkRoom(waiting: readonly Sized[], added: Pick<Sized, 'params' | 'body' | 'subject'>): void {
  const shown = waiting.filter(isShown);
  const characters = shown.reduce((sum, entry) => sum + sizeOf(entry), sizeOf(added));
  if (shown.length >= limits.outboxEntries || characters > limits.outboxCharacters)
    throw new NotStored(deviceFailures.outboxFull);
}

function sizeOf({ params, body, subject }: Pick<Sized, 'params' | 'body' | 'subject'>): number {
  return JSON.stringify([params, body, subject]).length;
}
