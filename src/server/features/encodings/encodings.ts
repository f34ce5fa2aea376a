import type { EncodingOverview } from '#contract/entities/library.ts';
import type { Processing } from '#contract/entities/video.ts';
import { JobPostponed } from '../../jobs/job.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { DerivedFile, DerivedFiles } from '../../storage/derived-files.ts';
import type { BudgetDeps } from './budget.ts';
import { Budget, FullDisk } from './budget.ts';
import type { EncodingUse } from './demand.ts';
import { Demand, LackedNeeds, Waiting } from './demand.ts';
import { encodeKind, encodePriority } from './encode-order.ts';
import type { CleanUpDeps } from './encoded-files.ts';
import { cleanUpJobs, encodingCleanUp } from './encoded-files.ts';
import type { EncodingJobDeps } from './encoding-jobs.ts';
import { audioEncodingKind, encodingKind, inspectionKind } from './encoding-jobs.ts';
import type { PlannerDeps } from './planner.ts';
import { EncodingPlanner } from './planner.ts';
import { processingRepository } from './processing-repository.ts';
import type { RoomDeps } from './room.ts';
import { Room, Uses } from './room.ts';
import { RunningEncodings, readOverview, ViewerPause } from './running-encodings.ts';

export type EncodingsDeps = BudgetDeps &
  Pick<RoomDeps, 'alignEncoded'> &
  Pick<CleanUpDeps, 'sweepTime'> &
  Pick<EncodingJobDeps, 'database' | 'idSets' | 'clock' | 'log' | 'encoder' | 'sources' | 'betweenMs'> & {
    idSets: PlannerDeps['idSets'];
    sources: PlannerDeps['sources'];
    queue: JobQueue;
    files: DerivedFiles;
  };

const tickMs = 60_000;
const lookAfterMs = 3_600_000;

/** Encodes videos so that every device can play them, within a disk budget. */
export class Encodings {
  private readonly deps: EncodingsDeps;
  private readonly budget: Budget;
  private readonly uses: Uses;
  private readonly demand: Demand;
  private readonly lacked: LackedNeeds;
  private readonly room: Room;
  private readonly fullDisk: FullDisk;
  private readonly planner: EncodingPlanner;
  private readonly waiting: Waiting;
  private readonly pause: ViewerPause;
  private readonly running: RunningEncodings;
  private timer: Repetition | null = null;
  /** Set while the encoders of this machine are being detected. */
  private opening: Promise<void> | null = null;
  /** Whether this machine has what encodes. */
  private canEncode = false;
  /** Measured by `clock.elapsed()`. */
  private lookedAfterAt = Number.NEGATIVE_INFINITY;

  constructor(deps: EncodingsDeps) {
    const { database, clock, log, encoder } = deps;
    this.deps = deps;
    this.running = new RunningEncodings(clock);
    this.budget = new Budget(deps);
    this.uses = new Uses(database, clock);
    this.demand = new Demand(database, clock);
    this.lacked = new LackedNeeds(clock);
    this.fullDisk = new FullDisk(clock, log);
    this.room = new Room({ ...deps, uses: this.uses, budget: this.budget });
    const { room, budget, fullDisk, lacked } = this;
    this.planner = new EncodingPlanner({ ...deps, room, budget, fullDisk, lacked });
    this.waiting = new Waiting(database, clock, deps.queue);
    this.pause = new ViewerPause({ clock, setPaused: (isPaused) => encoder.setPaused(isPaused) });
  }

  /** Registers the encoding jobs with the queue; without a budget it registers none. */
  async open(): Promise<void> {
    this.opening = this.register().finally(() => {
      this.opening = null;
    });
    await this.opening;
  }

  /** Follows a change of the budget. */
  async followBudget(): Promise<void> {
    if (this.budget.isOff || this.opening !== null) return;
    if (this.isOpen) await this.lookAfter();
    else await this.open();
  }

  private async register(): Promise<void> {
    const { queue, encoder, log } = this.deps;
    if (this.budget.isOff) return log.info('DERIVED_GB is 0: nothing is encoded, and videos play as they are.');
    this.canEncode = queue.runsHere && (await encoder.facts()) !== null;
    const { room, budget, fullDisk, running } = this;
    const onEnd: EncodingJobDeps['onEnd'] = (job) => this.plan(job.id);
    const deps = { ...this.deps, room, budget, fullDisk, running, onEnd };
    // A node that cannot encode queues for those that can.
    for (const kind of [encodingKind(deps), audioEncodingKind(deps), inspectionKind(deps), cleanUpJobs(deps)])
      queue.register({ ...kind, isOffered: () => this.canEncode });
    if (this.canEncode) await this.lookAfter();
    const onFault = (err: unknown) => log.warn({ err }, 'encodings cannot be looked after; it is tried again');
    this.timer ??= repeat(() => this.tick(), tickMs, onFault);
  }

  /**
   * A viewer waits for the video: it is encoded first. Returns null when nothing can make it
   * playable.
   * @param use videos that are to be kept get a limited share of the places
   */
  async want(videoNumber: number, use: EncodingUse = 'watch'): Promise<Processing | null> {
    // The caller asks again later; by then it is known whether this machine can encode.
    if (this.opening !== null) return { state: 'queued', progress: 0 };
    const processing = this.isOpen ? await this.waiting.want(videoNumber, use) : null;
    return processing === null ? null : this.withProgress(videoNumber, processing);
  }

  /** A viewer has chosen an audio track. Returns null when nothing can make an encoding with it. */
  async wantAudio(videoNumber: number, track: number): Promise<Processing | null> {
    return this.isOpen ? this.waiting.wantAudio(videoNumber, track) : null;
  }

  /**
   * Stores the subtitles of a file that somebody wants to inspect. Returns null when nothing will
   * be stored.
   */
  async inspect(videoNumber: number): Promise<Processing | null> {
    if (this.opening === null) return this.isOpen ? this.waiting.inspect(videoNumber) : null;
    // A failure is not told: lists ask again after a while.
    void this.opening.then(() => this.inspect(videoNumber)).catch(() => {});
    return { state: 'queued', progress: 0 };
  }

  /** A pick returned a source that is larger than its quadrant needs. */
  countPick(videoNumber: number): void {
    if (this.isOpen) this.demand.count(videoNumber);
  }

  /** A device asked for a video and lacks needs of others. @param places indexes in `mediaNeeds` */
  recordMissingNeeds(places: readonly number[]): void {
    if (this.isOpen) this.lacked.note(places);
  }

  /** A pick returned a source of which the device plays the picture only. */
  countSilentPick(videoNumber: number): void {
    if (this.isOpen) this.planner.countSilent(videoNumber);
  }

  /** The encoding is being played and must not be removed. */
  noteUse(content: string): void {
    this.uses.note(content);
  }

  /** The file of the encoding is missing or was replaced. */
  noteMissing(content: string): Promise<void> {
    return this.room.forget(content);
  }

  /** Players report stalls. */
  noteStalls(): void {
    if (this.running.size > 0) this.pause.noteStalls();
  }

  /** Queues the videos whose source plays nowhere, newest first, as far as there is room. */
  async queueUnplayable(): Promise<void> {
    if (this.isOpen) await this.planner.queueUnplayable();
  }

  /** The encoding state by video number; videos without one are left out. */
  async findProcessing(videoNumbers: readonly number[]): Promise<Map<number, Processing>> {
    const found = await processingRepository.list(this.deps.database.reader, videoNumbers);
    for (const [number, processing] of found) found.set(number, this.withProgress(number, processing));
    return found;
  }

  /**
   * Makes room for a small result that somebody waits for; it is stored even when encodings have no
   * room left.
   * @throws JobPostponed while the disk is full
   */
  async reserve(bytes: number): Promise<void> {
    if (this.isOpen) await this.room.make(bytes, 'waiting');
    if ((await this.budget.writableBytes()) < bytes) throw new JobPostponed(this.fullDisk.note());
  }

  /** Removes files that a video had, as long as no other video uses them. */
  discard(files: readonly DerivedFile[]): Promise<void> {
    return this.room.discard(files);
  }

  /**
   * Removes all encodings that are not being played, and starts no new ones at once.
   * @returns the bytes freed
   */
  async clear(): Promise<number> {
    const before = await this.room.usedBytes();
    this.planner.forget();
    if (this.isOpen) await this.deps.queue.cancelWaiting(encodeKind, encodePriority.unplayable);
    await this.room.clear();
    return Math.max(0, before - (await this.room.usedBytes()));
  }

  usedBytes(): Promise<number> {
    return this.room.usedBytes();
  }

  readOverview(): Promise<EncodingOverview> {
    const { room, budget, running, pause } = this;
    return readOverview({ ...this.deps, room, budget, running, pause });
  }

  /** Writes the counts that are still in memory; a failure is logged. */
  async stop(): Promise<void> {
    this.timer?.stop();
    this.pause.stop();
    await this.planner.stop();
    const onFault = (err: unknown) => this.deps.log.warn({ err }, 'how encodings were used last could not be written');
    await this.tick().catch(onFault);
  }

  /** Does the work that is due each minute. */
  async tick(): Promise<void> {
    if (!this.isOpen) return;
    await this.uses.write();
    await this.demand.write();
    if (this.canEncode && this.deps.clock.elapsed() - this.lookedAfterAt >= lookAfterMs) await this.lookAfter();
    await this.planner.plan(null);
  }

  private get isOpen(): boolean {
    return !this.budget.isOff && this.deps.queue.canBeDone(encodeKind);
  }

  private async lookAfter(): Promise<void> {
    this.lookedAfterAt = this.deps.clock.elapsed();
    await this.budget.refresh(await this.room.usedBytes());
    await this.room.trim();
    await this.deps.queue.add([encodingCleanUp]);
  }

  private async plan(exceptId: string): Promise<void> {
    await this.planner
      .plan(exceptId)
      .catch((err: unknown) => this.deps.log.warn({ err }, 'what is encoded next could not be found out'));
  }

  private withProgress(videoNumber: number, processing: Processing): Processing {
    const progress = this.running.progressOf(videoNumber);
    return progress === null || processing.state === 'failed' ? processing : { state: 'running', progress };
  }
}
