import type { Clock } from '../../../clock.ts';
import type { Env } from '../../../env.ts';
import { RateLimited, Refusal, Unavailable } from '../../../http/pipeline/errors.ts';
import { Shares } from '../../../limits/shares.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';
import type { DiskBytes } from '../../../storage/disk-space.ts';
import { reservedBytes } from '../../../storage/disk-space.ts';

/** The memory that all bodies on their way to the disk may take together. */
const totalBytes = 32 * 1024 * 1024;
/** The most bytes that one body collects; a killed process loses at most twice this of it. */
const largestShare = 512 * 1024;
const smallestShare = 64 * 1024;

export const placeLimits = {
  /** Each body needs the smallest share twice: one is written while the next is collected. */
  total: totalBytes / smallestShare / 2,
  /** The app sends three files at a time; dead connections may still hold some places. */
  perPerson: 16,
  /** A household or a company shares one address. */
  perAddress: 64,
  /** A body that the server waits for must bring this many bytes within `looks` checks. */
  leastBytes: 32 * 1024,
  looks: 6,
  lookMs: 5_000,
};

/** The sender of a body. */
interface BodySender {
  /** The id of the account. */
  person: string;
  /** Null for loopback: an unconfigured proxy sends everybody's requests from there. */
  address: string | null;
  /** Ends the request with this answer, whatever it waits for. */
  refuse(refusal: Refusal): void;
}

/**
 * Shares places and memory among the bodies that are being received: the more there are, the sooner
 * each is written. No sender can take all places: when none is left, the slowest body of the sender
 * with the most is refused, and a body that brings hardly anything loses its place.
 */
export class BodyPlaces {
  private readonly clock: Clock;
  private readonly taken: Shares<BodyPlace>;
  private watch: Repetition | null = null;

  /** @param total the most bodies at once */
  constructor(clock: Clock, total: number) {
    this.clock = clock;
    this.taken = new Shares<BodyPlace>({ ...placeLimits, total });
  }

  /** @throws Refusal 429 for a sender with too many places, 503 when there is none */
  take(sender: BodySender): BodyPlace {
    const full = this.taken.findFull({ person: sender.person, address: sender.address });
    if (full !== null && full.of !== 'total') throw tooMany(full.most);
    if (full !== null && !this.makeRoom(sender, 'person') && !this.makeRoom(sender, 'address')) throw noPlace();
    const place = new BodyPlace(this, sender, this.clock.elapsed());
    this.taken.add(place, { person: sender.person, address: sender.address });
    this.watch ??= repeat(() => this.look(), placeLimits.lookMs);
    return place;
  }

  giveBack(place: BodyPlace): void {
    this.taken.remove(place);
    if (this.taken.size > 0) return;
    this.watch?.stop();
    this.watch = null;
  }

  /** The bytes that one body collects before they are written. */
  share(): number {
    const equal = Math.floor(totalBytes / 2 / Math.max(1, this.taken.size));
    return Math.min(largestShare, Math.max(smallestShare, equal));
  }

  /** Counts checks instead of time: a body does not become slow because this process is busy. */
  look(): void {
    for (const place of this.taken.all()) if (place.isTooSlow()) this.end(place, tooSlow());
  }

  private makeRoom(newcomer: BodySender, kind: 'person' | 'address'): boolean {
    const most = this.taken.largest(kind);
    if (most.size <= this.taken.count(kind, newcomer[kind]) + 1) return false;
    const now = this.clock.elapsed();
    const [slowest] = [...most].sort((one, other) => one.speedAt(now) - other.speedAt(now));
    if (slowest === undefined) return false;
    this.end(slowest, noPlace());
    return true;
  }

  /** Frees the place at once, although the request takes a moment to end. */
  private end(place: BodyPlace, refusal: Refusal): void {
    this.giveBack(place);
    place.sender.refuse(refusal);
  }
}

/** The place of one body. */
export class BodyPlace {
  readonly sender: BodySender;
  /** Bytes that have been read of it. */
  bytes = 0;
  /**
   * Whether the server waits for more bytes; false while the body waits for its lock, or for the
   * disk or the store.
   */
  isReading = false;
  /** The disk or the store has delayed the body since the last check. */
  wasHeldUp = false;
  private readonly places: BodyPlaces;
  private readonly begunAt: number;
  private looks = 0;
  private bytesThen = 0;

  constructor(places: BodyPlaces, sender: BodySender, begunAt: number) {
    this.places = places;
    this.sender = sender;
    this.begunAt = begunAt;
  }

  share(): number {
    return this.places.share();
  }

  release(): void {
    this.places.giveBack(this);
  }

  /**
   * Bytes a millisecond since the start, plus one second, so that a body that has just begun is not
   * the fastest.
   */
  speedAt(now: number): number {
    return this.bytes / (now - this.begunAt + 1_000);
  }

  /** Called at each check. */
  isTooSlow(): boolean {
    const isWaitedFor = this.isReading && !this.wasHeldUp;
    this.wasHeldUp = false;
    this.looks = isWaitedFor && this.bytes - this.bytesThen < placeLimits.leastBytes ? this.looks + 1 : 0;
    if (this.looks === 0) this.bytesThen = this.bytes;
    return this.looks > placeLimits.looks;
  }
}

function tooMany(most: number): Refusal {
  return new RateLimited(5_000, `At most ${most} files can be sent at the same time.`);
}

function noPlace(): Refusal {
  return new Unavailable('Too many files are being sent at the moment.');
}

function tooSlow(): Refusal {
  return new Unavailable('Hardly anything of this file has come for half a minute.');
}

/** A request is granted this many bytes of the disk at a time, ahead of its writes. */
const stepBytes = 16 * 1024 * 1024;

/** Keeps a reserve where the uploads lie: a disk also holds the database. */
export class DiskReserve {
  private readonly readSpace: () => Promise<DiskBytes | null>;
  private readonly settings: Pick<Env, 'uploadReserveBytes'>;
  /** Bytes that are granted to requests and not written yet. */
  private granted = 0;

  constructor(readSpace: () => Promise<DiskBytes | null>, settings: Pick<Env, 'uploadReserveBytes'>) {
    this.readSpace = readSpace;
    this.settings = settings;
  }

  /**
   * Requires room. A disk that does not answer refuses nothing: the write itself will fail. @throws
   * Refusal 507
   */
  require(bytes: number): Promise<void> {
    return this.grant(0, bytes);
  }

  /**
   * Opens the room for one request.
   * @param most the most bytes that it may write
   * @throws Refusal 507 when the disk has no room for all of them
   */
  async open(most: number): Promise<DiskRoom> {
    const first = Math.min(most, stepBytes);
    await this.grant(first, most - first);
    return new DiskRoom(this, first);
  }

  /**
   * Counts bytes as granted until they are given back, if the disk has room for them and `more`.
   * @throws Refusal 507, and nothing is granted
   */
  async grant(bytes: number, more: number): Promise<void> {
    this.granted += bytes;
    // Read before the disk is asked: bytes written meanwhile count twice rather than never.
    const wanted = this.granted + more;
    const space = await this.readSpace();
    if (space === null || space.free - wanted >= (this.settings.uploadReserveBytes ?? reservedBytes(space))) return;
    this.giveBack(bytes);
    throw new Refusal('out_of_space');
  }

  /** Takes back granted bytes that were written or will not be. */
  giveBack(bytes: number): void {
    this.granted -= bytes;
  }
}

/** The disk space that one request may use. */
export class DiskRoom {
  private readonly reserve: DiskReserve;
  private left: number;

  constructor(reserve: DiskReserve, granted: number) {
    this.reserve = reserve;
    this.left = granted;
  }

  /** Called before bytes are written. @throws Refusal 507 */
  async cover(bytes: number): Promise<void> {
    if (bytes <= this.left) return;
    const step = Math.max(stepBytes, bytes - this.left);
    await this.reserve.grant(step, 0);
    this.left += step;
  }

  /** Called after bytes were written. */
  use(bytes: number): void {
    this.left -= bytes;
    this.reserve.giveBack(bytes);
  }

  /** Gives back the rest at the end of the request. */
  [Symbol.dispose](): void {
    this.use(this.left);
  }
}
