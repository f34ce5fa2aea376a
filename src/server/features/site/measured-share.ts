import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import type { Log } from '../../log.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import { siteRepository } from './site-repository.ts';

interface MeasuredShareDeps {
  database: Database;
  clock: Clock;
  revisions: Pick<Revisions, 'forget'>;
  log: Log;
  /** Counts the viewers of all processes. */
  playbackHealth: { countSiteViewers(): Promise<number> };
}

const checkMs = 10_000;
/** Every device reads the configuration again after a change. */
const changesEveryMs = 60_000;
/** A device that has not asked the server for anything may know a share that is this old. */
const knownForMs = 3_600_000;
/** A site of ten million viewers is measured at this share. */
const mostOneIn = 1_000;
/** Viewers who are fewer by less than this change nothing, as their number is an estimate. */
const slack = 1.1;

/**
 * The share of devices that report how all of their videos play: one in `n`, so that a site of any
 * size has the reports of `measuredViewers`. Each device that was drawn stands for `n`.
 */
export class MeasuredShare {
  private readonly deps: MeasuredShareDeps;
  /** The shares of the last hour, each with the elapsed time when this process last saw it. */
  private readonly seen = new Map<number, number>([[1, Number.POSITIVE_INFINITY]]);
  private timer: Repetition | undefined;

  constructor(deps: MeasuredShareDeps) {
    this.deps = deps;
  }

  start(): void {
    this.timer ??= repeat(
      () => this.check(),
      checkMs,
      (err) => this.deps.log.warn({ err }, 'how many viewers are measured cannot be changed; it is tried again'),
    );
  }

  stop(): void {
    this.timer?.stop();
  }

  /**
   * How many devices a report stands for. Nobody stands for more than this site has said.
   * @param told what the device says; undefined for apps that know nothing of a share
   */
  weigh(told = 1): number {
    return Math.min(told, Math.max(...this.seen.keys()));
  }

  /** Changes the share when it does not fit the viewers any more. */
  async check(): Promise<void> {
    const { database, clock, revisions } = this.deps;
    const now = clock.now();
    const before = await siteRepository.readOneIn(database.reader);
    this.note(before);
    const oneIn = nextOneIn(await this.deps.playbackHealth.countSiteViewers(), before);
    if (oneIn === before) return;
    const isChanged = await database.write(async (transaction) => {
      const isOurs = await siteRepository.replaceOneIn(transaction, oneIn, { until: now - changesEveryMs, now });
      if (isOurs) await bumpRevision(transaction, 'config');
      return isOurs;
    });
    if (!isChanged) return;
    this.note(oneIn);
    revisions.forget();
  }

  private note(oneIn: number): void {
    const at = this.deps.clock.elapsed();
    for (const [known, seenAt] of this.seen) if (seenAt < at - knownForMs) this.seen.delete(known);
    if (oneIn > 1) this.seen.set(oneIn, at);
  }
}

/** The share for so many viewers; it becomes larger again only when there are clearly fewer. */
export function nextOneIn(viewers: number, before: number): number {
  const needed = oneInFor(viewers);
  return needed > before ? needed : Math.min(before, oneInFor(viewers * slack));
}

function oneInFor(viewers: number): number {
  return Math.max(1, Math.min(mostOneIn, Math.ceil(viewers / limits.measuredViewers)));
}
