import { checkFavourites, isSetId, videoSets } from '#contract/rules/tag-filter.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import { formKeys } from '../../id-sets/set-changes.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import { favouriteRepository } from './favourite-repository.ts';
import { posterRepository } from './poster-repository.ts';

interface Known {
  numbers: Uint32Array;
  /** The count of the person's changes that the numbers include. */
  seq: number;
  /** The time of the reading, by `clock.elapsed()`, in milliseconds. */
  readAt: number;
}

/** The people whose favourites were used last; four bytes for each video. */
const maxKnown = { people: 1_000, videos: 1_000_000 };
/** A restored upload has a new number, which no change of the person tells. */
const freshForMs = 30_000;

/** The favourites of people, for the sets that a filter is drawn from. */
export class Favourites {
  private readonly database: Database;
  private readonly clock: Clock;
  /** The most recently used entry is the last. */
  private readonly known = new Map<string, Known>();
  private videos = 0;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.database = database;
    this.clock = clock;
  }

  /** The numbers of a person's favourites, in ascending order. */
  async numbersOf(userId: string): Promise<Uint32Array> {
    const { reader } = this.database;
    const seq = (await favouriteRepository.readSeq(reader, userId)) ?? 0;
    const known = this.known.get(userId);
    const isFresh = known?.seq === seq && this.clock.elapsed() - known.readAt < freshForMs;
    const read = async () => Uint32Array.from(await favouriteRepository.listNumbers(reader, userId));
    const entry = isFresh ? known : { numbers: await read(), seq, readAt: this.clock.elapsed() };
    this.forget(userId);
    this.known.set(userId, entry);
    this.videos += entry.numbers.length;
    this.makeRoom();
    return entry.numbers;
  }

  /** The ids of a person's favourites, without those that are withheld from the person. */
  async listIds(
    { userId, rank }: { userId: string; rank: number },
    restrictedTags: Pick<RestrictedTags, 'listShown'>,
  ): Promise<string[]> {
    const rows = await favouriteRepository.list(this.database.reader, userId);
    const numbers = rows.map(({ number }) => number ?? 0);
    const shown = await restrictedTags.listShown(rank, numbers);
    return rows.filter(({ number }) => number === null || shown.has(number)).map(({ id }) => id);
  }

  /**
   * Adds a favourite; one that is there already stays.
   * @throws NotFound for a video that is unknown, hidden or withheld from the person
   * @throws Refusal 409 beyond the limit of one person
   */
  async add(
    { userId, rank }: { userId: string; rank: number },
    videoId: string,
    restrictedTags: Pick<RestrictedTags, 'isWithheld'>,
  ): Promise<void> {
    const found = await posterRepository.findVideo(this.database.reader, videoId);
    if (found === null || (await restrictedTags.isWithheld(rank, found.number))) throw new NotFound('video');
    await this.database.write(async (transaction) => {
      const video = await posterRepository.findVideo(transaction, videoId);
      if (video === null || video.isHidden) throw new NotFound('video');
      await favouriteRepository.countChange(transaction, userId);
      if (!(await favouriteRepository.add(transaction, userId, videoId, this.clock.now()))) return;
      const problem = checkFavourites(await favouriteRepository.count(transaction, userId));
      if (problem !== null) throw new Refusal('conflict', { message: problem });
    });
  }

  /** Removes a favourite, also one whose video is gone or hidden. */
  async remove(userId: string, videoId: string): Promise<void> {
    await this.database.write(async (transaction) => {
      await favouriteRepository.countChange(transaction, userId);
      await favouriteRepository.delete(transaction, userId, videoId);
    });
  }

  private forget(userId: string): void {
    this.videos -= this.known.get(userId)?.numbers.length ?? 0;
    this.known.delete(userId);
  }

  private makeRoom(): void {
    for (const userId of this.known.keys()) {
      if (this.known.size <= maxKnown.people && this.videos <= maxKnown.videos) return;
      this.forget(userId);
    }
  }
}

/** The ids of a filter, apart from blocked ones, and who asks; null: nobody who is signed in. */
interface ChosenIds {
  tagIds: readonly string[];
  userId: string | null;
}

/**
 * Divides the ids of a filter into tags and sets. Null when nothing can match: an unknown set, or
 * the favourites of nobody.
 */
export async function selectSets(
  { tagIds, userId }: ChosenIds,
  numbersOf: (userId: string) => Promise<Uint32Array>,
): Promise<(Pick<TagSelection, 'forms' | 'among'> & { tagIds: readonly string[] }) | null> {
  const sets = tagIds.filter(isSetId);
  if (sets.length === 0) return { tagIds };
  if (!sets.every((id) => videoSets.some((set) => set === id))) return null;
  const rest = { tagIds: tagIds.filter((id) => !isSetId(id)), forms: formKeys.filter((key) => sets.includes(key)) };
  if (!sets.includes('is:favourite')) return rest;
  return userId === null ? null : { ...rest, among: await numbersOf(userId) };
}
