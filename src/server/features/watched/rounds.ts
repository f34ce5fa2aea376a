import { createHash } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import type { Env } from '../../env.ts';
import { RateLimited } from '../../http/pipeline/errors.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { Log } from '../../log.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import { videoRepository } from '../videos/video-repository.ts';
import type { Round } from './own-rounds.ts';
import { allVideos } from './own-rounds.ts';
import type { Owner, Watcher } from './watched-owner.ts';
import type { PersonDeps } from './watched-person.ts';
import { WatchedPerson } from './watched-person.ts';

interface RoundsDeps extends PersonDeps {
  env: Pick<Env, 'remembersWatched'>;
  idSets: Pick<IdSets, 'pick' | 'count'>;
  rateLimits: Pick<RateLimits, 'consume'>;
  log: Log;
}

/** A video, how many match, and how many of those the round still has; absent: there is no round. */
export interface PickInRound {
  number: number;
  matching: number;
  unseen?: number;
}

/** The most rounds in memory, and their most bytes. */
interface Room {
  rounds: number;
  bytes: number;
}

/** People without a round in memory take little. */
const maxPeople = 4_000;
const hourMs = 3_600_000;
const everything: TagSelection = { tags: [], mode: 'OR', blocked: [] };

/** The rounds of all who watch: each video once before any comes again. */
export class Rounds {
  private readonly deps: RoundsDeps;
  private readonly room: Room;
  /** Ordered by last use; the most recently used entry is the last. */
  private readonly people = new Map<string, WatchedPerson>();
  /** The rounds in memory, likewise. */
  private readonly loaded = new Map<Round, WatchedPerson>();
  private bytes = 0;
  private restarts = 0;
  private timer: Repetition | null = null;

  constructor(deps: RoundsDeps, room: Room = { rounds: limits.roundsInMemory, bytes: limits.roundsBytes }) {
    this.deps = deps;
    this.room = room;
  }

  start(): void {
    const warn = (err: unknown) => this.deps.log.warn({ err }, 'what was watched could not be written');
    this.timer ??= repeat(() => this.write(), limits.watchedWriteSeconds * 1_000, warn);
  }

  /** Stops writing, after a last time. */
  async stop(): Promise<void> {
    this.timer?.stop();
    this.timer = null;
    await this.write().catch((err: unknown) => this.deps.log.warn({ err }, 'what was watched could not be written'));
  }

  /** For metrics: the rounds in memory, their bytes, and how many have begun again. */
  facts(): { rounds: number; bytes: number; restarts: number } {
    return { rounds: this.loaded.size, bytes: this.bytes, restarts: this.restarts };
  }

  /**
   * Picks a video that the owner's round has not seen, and begins the round again when nothing else
   * is left. Excluded ones are picked only if there is no other. Null if none matches.
   * @throws if the database does not answer
   */
  async pick(owner: Owner, selection: TagSelection, exclude: readonly number[]): Promise<PickInRound | null> {
    const { env, idSets } = this.deps;
    if (!env.remembersWatched) return idSets.pick(selection, { exclude });
    const person = await this.find(owner);
    const round = await person.findRound(nameOf(selection));
    // Null while it is read; and while others were waited for, it may have been freed.
    if (round === null || !person.rounds.has(round)) return idSets.pick(selection, { exclude });
    this.use(person, round);
    // Videos that other devices prepare are avoided, as long as the round has any other.
    const other = idSets.pick(selection, { exclude: [...exclude, ...person.given], seen: round.seen });
    if (other === null) return null;
    const { number, ...counts } =
      other.number === null ? (idSets.pick(selection, { exclude, seen: round.seen }) ?? other) : other;
    if (number === null) return this.pickFromNext(person, round, selection, exclude);
    person.give(number);
    return { number, ...counts };
  }

  /**
   * Records what came to a screen. Unknown and hidden videos are passed over. A browser's log is
   * kept from its second report on, unless its address has had too many new ones.
   */
  async record(watcher: Watcher, ids: readonly string[]): Promise<void> {
    if (!this.deps.env.remembersWatched) return;
    const states = await videoRepository.findStates(this.deps.database.reader, ids);
    const numbers = ids.flatMap((id) => {
      const state = states.get(id);
      return state === undefined || state.isHidden || state.isMissing ? [] : [state.number];
    });
    if (numbers.length === 0) return;
    const person = await this.find(watcher);
    person.reports += 1;
    if (!person.isKept) person.isKept = watcher.userId !== null || (await this.mayKeep(watcher, person.reports));
    person.record(watcher.device, numbers, this.deps.idSets.count(everything));
  }

  /** @throws if the database does not answer */
  async forget(owner: Owner): Promise<void> {
    const person = await this.find(owner);
    await person.forget();
  }

  /** The whole log of an owner in its pieces, the latest last. */
  async readLog(owner: Owner): ReturnType<WatchedPerson['readLog']> {
    return this.deps.env.remembersWatched ? (await this.find(owner)).readLog() : [];
  }

  /** Writes what is not written yet. */
  async write(): Promise<void> {
    for (const person of [...this.people.values()]) if (person.isDirty) await person.write();
  }

  private async mayKeep({ address }: Watcher, reports: number): Promise<boolean> {
    if (reports < 2) return false;
    const policy = { kind: 'window' as const, most: limits.watchedNewBrowsers, windowMs: hourMs };
    try {
      await this.deps.rateLimits.consume({ name: 'watched', holder: address, policy });
      return true;
    } catch (error) {
      if (error instanceof RateLimited) return false;
      throw error;
    }
  }

  private async find(owner: Owner): Promise<WatchedPerson> {
    const person = this.people.get(owner.key) ?? this.meet(owner);
    this.people.delete(owner.key);
    this.people.set(owner.key, person);
    for (const oldest of this.people.values()) {
      if (this.people.size <= maxPeople) break;
      // Unwritten entries stay until they are written.
      if (oldest.isDirty) break;
      this.people.delete(oldest.owner.key);
      oldest.reset();
    }
    await person.catchUp();
    return person;
  }

  private meet({ key, userId }: Owner): WatchedPerson {
    const onGone = (round: Round) => {
      if (this.loaded.delete(round)) this.bytes -= round.size;
    };
    return new WatchedPerson({ key, userId }, this.deps, onGone);
  }

  private use(person: WatchedPerson, round: Round): void {
    this.bytes -= this.loaded.has(round) ? round.size : 0;
    round.size = round.seen.size;
    this.bytes += round.size;
    this.loaded.delete(round);
    this.loaded.set(round, person);
    this.makeRoom();
  }

  private async pickFromNext(
    person: WatchedPerson,
    round: Round,
    selection: TagSelection,
    exclude: readonly number[],
  ): Promise<PickInRound | null> {
    const { idSets, log } = this.deps;
    try {
      if (await person.restart(round)) this.restarts += 1;
    } catch (err) {
      log.warn({ err }, 'a round could not begin again; videos are drawn without it');
      return idSets.pick(selection, { exclude });
    }
    const next = person.rounds.has(round) ? idSets.pick(selection, { exclude, seen: round.seen }) : null;
    const any = (next?.number ?? null) === null ? idSets.pick(selection, { exclude }) : null;
    const pick = any === null ? next : { ...any, ...(next !== null && { unseen: next.unseen }) };
    if (pick === null || pick.number === null) return null;
    person.give(pick.number);
    return { ...pick, number: pick.number };
  }

  /** Removes the least recently used rounds; the newest stays, whatever its size. */
  private makeRoom(): void {
    for (const [round, person] of this.loaded) {
      const isFew = this.loaded.size <= this.room.rounds && this.bytes <= this.room.bytes;
      if (isFew || this.loaded.size === 1) return;
      person.letGo(round).catch((err: unknown) => this.deps.log.debug({ err }, 'a round could not be stored'));
    }
  }
}

/** The name of a filter: what a person asks for, not what is hidden from them. */
function nameOf({ tags, mode, missingNeeds = [], forms = [], among }: TagSelection): string {
  const isAll = tags.length + forms.length === 0 && among === undefined;
  if (isAll) return `${allVideos}${missingNeeds.join()}`;
  const sorted = tags.toSorted((a, b) => a - b).join();
  const set = among === undefined ? '' : 'favourites';
  const name = [tags.length > 1 ? mode : 'OR', sorted, forms.join(), set, missingNeeds.join()].join(' ');
  return name.length <= 200 ? name : createHash('sha256').update(name).digest('base64url');
}
