import type { Processing } from '#contract/entities/video.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import { findEncodings } from '../../videos/encodings/encoding-repository.ts';
import type { EncodableVideo } from '../encodable-repository.ts';
import { findEncodable, findFailure } from '../encodable-repository.ts';
import { toEncodeJob } from '../jobs/encode-order.ts';
import { isInspected, toInspectJob } from '../jobs/inspection-job.ts';
import { countActive } from '../overview-repository.ts';
import { listProcessing } from '../processing.ts';
import { noteWaiting } from './demand-repository.ts';

export interface WaitingDeps {
  database: Database;
  clock: Clock;
  queue: JobQueue;
}

/** A page asks every few seconds, for each of its quadrants. */
const answeredMs = 2_000;
const noteEveryMs = 60_000;
const maxRemembered = 1_000;
/** More than these are not queued, whoever waits for them. */
const maxActive = 200;

interface Answer {
  processing: Processing | null;
  /** By `clock.elapsed()`. */
  answeredAt: number;
  notedAt: number;
}

/** What people wait for: it goes before everything else. */
export class Waiting {
  private readonly deps: WaitingDeps;
  private readonly answers = new Map<number, Answer>();

  constructor(deps: WaitingDeps) {
    this.deps = deps;
  }

  /** Null: nothing can make it playable. */
  async want(videoNumber: number): Promise<Processing | null> {
    const now = this.deps.clock.elapsed();
    const known = this.answers.get(videoNumber);
    if (known !== undefined && now - known.answeredAt < answeredMs) return known.processing;
    const isNoted = known !== undefined && now - known.notedAt < noteEveryMs;
    const processing = await this.find(videoNumber, isNoted);
    if (this.answers.size >= maxRemembered) this.answers.clear();
    this.answers.set(videoNumber, { processing, answeredAt: now, notedAt: isNoted ? known.notedAt : now });
    return processing;
  }

  /** Null: nothing will be found, or was found already. */
  async inspect(videoNumber: number): Promise<Processing | null> {
    const { database, queue } = this.deps;
    const video = await findEncodable(database.reader, videoNumber);
    if (video === null || (await isInspected(database.reader, video))) return null;
    if ((await countActive(database.reader, 'media', null)) >= maxActive) return null;
    await queue.add([toInspectJob(video)]);
    return { state: 'queued', progress: 0 };
  }

  private async find(videoNumber: number, isNoted: boolean): Promise<Processing | null> {
    const { reader } = this.deps.database;
    const video = await findEncodable(reader, videoNumber);
    if (video === null || (await findFailure(reader, video)) !== null) return null;
    // It has come since whoever asks was told that there is nothing.
    if ((await findEncodings(reader, video)).length > 0) return { state: 'running', progress: 100 };
    const processing = (await listProcessing(reader, [videoNumber])).get(videoNumber);
    if (processing === undefined || !isNoted) await this.queue(video, processing !== undefined);
    return processing ?? { state: 'queued', progress: 0 };
  }

  private async queue(video: EncodableVideo, isActive: boolean): Promise<void> {
    const { database, clock, queue } = this.deps;
    if (!isActive && (await countActive(database.reader, 'encode', null)) >= maxActive) return;
    await database.write(async (transaction) => {
      await queue.addWithin(transaction, [toEncodeJob(video, 'waiting')]);
      await noteWaiting(transaction, video.number, clock.now());
    });
    queue.wake();
  }
}
