import type { Log } from '../../../log.ts';
import { toEncodeJob } from '../jobs/encode-order.ts';
import { countActive } from '../overview-repository.ts';
import type { Budget } from '../room/budget.ts';
import type { FullDisk } from '../room/full-disk.ts';
import type { Room } from '../room/room.ts';
import { choosePopular } from './choose-popular.ts';
import { listPopular } from './demand-repository.ts';
import type { LackedNeeds } from './lacked-needs.ts';
import type { LackingDeps } from './lacking-queue.ts';
import { LackingQueue } from './lacking-queue.ts';
import type { UnplayableDeps } from './queue-unplayable.ts';
import { queueUnplayable } from './queue-unplayable.ts';
import { SilentQueue } from './silent-queue.ts';

export interface PlannerDeps extends UnplayableDeps, Omit<LackingDeps, 'queue' | 'lacked'> {
  log: Log;
  room: Pick<Room, 'roomForUnplayable' | 'freeBytes'>;
  budget: Budget;
  fullDisk: FullDisk;
  lacked: LackedNeeds;
}

/** Of those that are picked most, the one is chosen that saves most. */
const maxCandidates = 50;

/** Decides what is encoded next while nobody waits for anything. */
export class EncodingPlanner {
  private readonly deps: PlannerDeps;
  private readonly lacking: LackingQueue;
  private readonly silent: SilentQueue;
  private readonly ending = new AbortController();
  private looking: Promise<void> | null = null;
  private isLookWanted = false;
  /** Where the look through what nothing plays goes on; null: nowhere. */
  private nextUnplayable: number | null = null;
  /** What was queued once by this process: that it failed in an unexpected way is no reason to try for ever. */
  private readonly tried = new Set<number>();

  constructor(deps: PlannerDeps) {
    this.deps = deps;
    this.lacking = new LackingQueue(deps);
    this.silent = new SilentQueue(deps);
  }

  /** Called again while it looks, it looks once more. */
  queueUnplayable(): Promise<void> {
    this.isLookWanted = true;
    this.looking ??= this.lookThrough().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  /** A device was given a video of which it plays the picture alone. */
  countSilent(videoNumber: number): void {
    this.silent.count(videoNumber);
  }

  /** @param exceptId a job that is about to end */
  async plan(exceptId: string | null): Promise<void> {
    const { database, fullDisk, room, budget } = this.deps;
    if (this.ending.signal.aborted || fullDisk.waitMs > 0) return;
    if ((await countActive(database.reader, 'encode', exceptId)) > 0) return;
    if (this.nextUnplayable !== null)
      this.nextUnplayable = await queueUnplayable(this.deps, this.nextUnplayable, this.ending.signal);
    if ((await countActive(database.reader, 'encode', exceptId)) > 0) return;
    const freeBytes = Math.min(await room.freeBytes(), await budget.writableBytes());
    if (await this.lacking.queueNext(freeBytes, this.ending.signal)) return;
    if (!(await this.silent.queueNext(freeBytes))) await this.queuePopular(freeBytes);
  }

  /** Nothing more is queued until it is asked for. */
  forget(): void {
    this.nextUnplayable = null;
    this.deps.lacked.forget();
    this.lacking.forget();
    this.silent.forget();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.looking;
  }

  private async lookThrough(): Promise<void> {
    try {
      while (this.isLookWanted && !this.ending.signal.aborted) {
        this.isLookWanted = false;
        this.nextUnplayable = await queueUnplayable(this.deps, null, this.ending.signal);
      }
    } catch (error) {
      this.deps.log.warn({ err: error }, 'videos that nothing plays could not be queued; the next scan tries again');
    }
  }

  private async queuePopular(freeBytes: number): Promise<void> {
    const { database, queue } = this.deps;
    const videos = (await listPopular(database.reader, maxCandidates)).filter(({ number }) => !this.tried.has(number));
    if (videos.length === 0) return;
    const video = choosePopular(videos, freeBytes);
    if (video === null) return;
    this.tried.add(video.number);
    await queue.add([toEncodeJob(video, 'popular')]);
  }
}
