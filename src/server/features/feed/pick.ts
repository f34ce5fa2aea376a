import type { DeviceClass } from '#contract/rules/media-needs.ts';
import type { FilterMode } from '#contract/rules/tag-filter.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import type { RandomBelow } from '../../ids.ts';
import { mergedTagRepository } from '../tags/merged-tag-repository.ts';
import type { PickSettings } from '../users/user-repository.ts';
import { userRepository } from '../users/user-repository.ts';
import type { Audience } from '../videos/audience.ts';
import type { Favourites } from '../videos/favourites.ts';
import { selectSets } from '../videos/favourites.ts';
import { listPlayable } from '../videos/playback.ts';
import { videoRepository } from '../videos/video-repository.ts';
import type { PickInRound, Rounds } from '../watched/rounds.ts';
import type { Owner, Watcher } from '../watched/watched-owner.ts';
import type { Unplayable, VideoRow } from './feed-repository.ts';
import { findUnplayable } from './make-playable.ts';
import { CircuitBreaker, RecentRows, StaleCache } from './pick-memory.ts';

export interface PickDeps {
  database: Database;
  idSets: IdSets;
  favourites: Pick<Favourites, 'numbersOf'>;
  restrictedTags: RestrictedTags;
  /** Null: each draw is independent of the ones before. */
  rounds: Pick<Rounds, 'pick'> | null;
  clock: Clock;
  randomBelow: RandomBelow;
}

export interface PickRequest {
  tagIds: readonly string[];
  blockedTagIds: readonly string[];
  mode: FilterMode;
  /** Ids that are avoided unless no other video matches. */
  exclude: readonly string[];
  /** The user whose stored blocklist applies as well; null: none. */
  userId: string | null;
  /** The person whose round the video is drawn from; null or absent: nobody. */
  watcher?: Watcher | null;
  /** False: nobody waits for the pick, so nothing is made playable for it. */
  isWaitedFor?: boolean;
  /** The language of the audio track that is preferred, where there is an encoding with it. */
  audioLanguage?: string | undefined;
}

type PickResult =
  /**
   * `missingNeeds` are positions in `mediaNeeds`: videos with these needs were excluded from the
   * draw. `isForSome`: some viewers do not see it.
   */
  | ({ kind: 'picked'; missingNeeds: readonly number[]; isForSome: boolean } & Drawn)
  /** The device plays none of the matching videos, which are in `found`. It may be empty. */
  | { kind: 'unavailable'; found: AsyncIterable<Unplayable> }
  | { kind: 'none' };

type Drawn = VideoRow & Omit<PickInRound, 'number'>;

/** The selection that a video is drawn from. `owner` is null if no round limits the draw. */
interface Draw {
  selection: TagSelection;
  device: DeviceClass;
  owner: Owner | null;
}

const maxTries = 3;
const maxStored = { people: 2_000, favourites: 200, tagLists: 500 };

/**
 * Draws a matching video that the device plays, all with equal probability. While the database does
 * not reply, it draws from the most recently drawn ones.
 */
export class VideoPicker {
  private readonly deps: PickDeps;
  private readonly breaker: CircuitBreaker;
  private readonly rows: RecentRows;
  private readonly settings: StaleCache<PickSettings>;
  private readonly favourites: StaleCache<Uint32Array>;
  private readonly tagLists: StaleCache<number[]>;

  constructor(deps: PickDeps) {
    this.deps = deps;
    this.breaker = new CircuitBreaker(deps.clock);
    this.rows = new RecentRows(deps);
    this.settings = new StaleCache(this.breaker, maxStored.people);
    this.favourites = new StaleCache(this.breaker, maxStored.favourites);
    this.tagLists = new StaleCache(this.breaker, maxStored.tagLists);
  }

  async pick(request: PickRequest, { device, rank }: Pick<Audience, 'device' | 'rank'>): Promise<PickResult> {
    const { database, idSets } = this.deps;
    const { userId, watcher = null } = request;
    const readSettings = () => userRepository.readPickSettings(database.reader, userId);
    const settings = await this.settings.read(userId ?? '', readSettings);
    const blockedTagIds = [...new Set([...request.blockedTagIds, ...settings.blocked_tag_ids])];
    const selection = await this.toSelection({ ...request, blockedTagIds }, rank);
    if (selection === null) return { kind: 'none' };
    const missingNeeds = idSets.listLacking(device);
    const shuffle = userId === null ? watcher?.shuffle : settings.shuffle;
    const owner = shuffle === 'random' ? null : watcher;
    const draw = { selection: { ...selection, missingNeeds }, device, owner };
    const drawn = await this.drawOrRecall(draw, await this.toNumbers(request.exclude));
    if (drawn === null)
      return { kind: 'unavailable', found: findUnplayable(database.reader, idSets, selection, device) };
    const isForSome = idSets.restricted.isWithheld(0, drawn.video.number);
    return { kind: 'picked', ...drawn, missingNeeds, isForSome };
  }

  /**
   * Resolves tag ids. Ids that no longer exist match nothing: OR leaves them out, AND becomes
   * impossible. Null when nothing can match. Several ids can mean one tag after a merge.
   */
  private async toSelection(request: PickRequest, rank: number): Promise<TagSelection | null> {
    const { blockedTagIds, mode } = request;
    const sets = await selectSets(request, (person) =>
      this.favourites.read(person, () => this.deps.favourites.numbersOf(person)),
    );
    if (sets === null) return null;
    const { tagIds, ...limited } = sets;
    const restrictedFrom = await this.findRestricted(rank);
    const tags = await this.findTags(tagIds, restrictedFrom);
    const isImpossible = mode === 'AND' ? tags.length < tagIds.length : tags.length === 0 && tagIds.length > 0;
    if (isImpossible) return null;
    const blockedTags = await this.findTags(blockedTagIds, restrictedFrom);
    return { tags: [...new Set(tags)], mode, blocked: [...new Set(blockedTags)], restrictedFrom, ...limited };
  }

  /** Finds the tags that the viewer does not see, as last known while the database does not reply. */
  private async findRestricted(rank: number): Promise<number | undefined> {
    const { restrictedTags } = this.deps;
    if (this.breaker.isOpen && restrictedTags.isKnown) return restrictedTags.lastFrom(rank);
    try {
      return await restrictedTags.from(rank);
    } catch (error) {
      this.breaker.trip(error);
      if (!restrictedTags.isKnown) throw error;
      return restrictedTags.lastFrom(rank);
    }
  }

  /** A tag that the viewer does not see is as one that does not exist. */
  private async findTags(ids: readonly string[], restrictedFrom: number | undefined): Promise<number[]> {
    if (ids.length === 0) return [];
    const { database, idSets } = this.deps;
    const tags = await this.tagLists.read(ids.join(), () => mergedTagRepository.resolveIds(database.reader, ids));
    return restrictedFrom === undefined
      ? tags
      : tags.filter((tag) => (idSets.restricted.rankOf(tag) ?? 0) < restrictedFrom);
  }

  /** Numbers of the ids to avoid. Unknown ids are left out while the database does not reply. */
  private async toNumbers(ids: readonly string[]): Promise<number[]> {
    const { numbers, unknown } = this.rows.numbersOf(ids);
    if (unknown.length === 0 || this.breaker.isOpen) return numbers;
    try {
      return [...numbers, ...(await videoRepository.findNumbers(this.deps.database.reader, unknown))];
    } catch (error) {
      this.breaker.trip(error);
      return numbers;
    }
  }

  private async drawOrRecall(draw: Draw, exclude: readonly number[]): Promise<Drawn | null> {
    const recalled = this.breaker.isOpen ? this.drawKnown(draw, exclude) : null;
    if (recalled !== null) return recalled;
    try {
      return await this.draw(draw, exclude);
    } catch (error) {
      this.breaker.trip(error);
      const known = this.drawKnown(draw, exclude);
      if (known === null) throw error;
      return known;
    }
  }

  /**
   * Checks the row of each drawn video, because another node may have removed the video or its
   * encodings within the last second, and the sets, which may have changed during the reading.
   */
  private async draw(draw: Draw, exclude: readonly number[]): Promise<Drawn | null> {
    const { idSets } = this.deps;
    const { selection, device } = draw;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const pick = await this.pickNumber(draw, exclude);
      if (pick === null) return null;
      const { number, ...counts } = pick;
      const row = await this.rows.find(number);
      const playable = row === null ? [] : listPlayable(row.video, row.encodings, device);
      if (row !== null && playable.length > 0 && idSets.matches(selection, number)) return { ...row, ...counts };
      await idSets.catchUp();
    }
    return null;
  }

  private async pickNumber({ selection, owner }: Draw, exclude: readonly number[]): Promise<PickInRound | null> {
    const { idSets, rounds } = this.deps;
    if (rounds === null || owner === null || this.breaker.isOpen) return idSets.pick(selection, { exclude });
    try {
      return await rounds.pick(owner, selection, exclude);
    } catch (error) {
      this.breaker.trip(error);
      return idSets.pick(selection, { exclude });
    }
  }

  /**
   * Draws from the rows in memory. A row may be older than the sets, and lack the encoding by which
   * the device plays the video.
   */
  private drawKnown({ selection, device }: Draw, exclude: readonly number[]): Drawn | null {
    const { idSets, randomBelow } = this.deps;
    const matching = this.rows
      .known()
      .filter(
        ({ video, encodings }) =>
          idSets.matches(selection, video.number) && listPlayable(video, encodings, device).length > 0,
      );
    const left = matching.filter(({ video }) => !exclude.includes(video.number));
    const pool = left.length > 0 ? left : matching;
    const row = pool.length === 0 ? undefined : pool[randomBelow(pool.length)];
    if (row === undefined) return null;
    return { ...this.rows.withTags(row), matching: idSets.count(selection) };
  }
}
