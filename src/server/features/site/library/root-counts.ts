import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import { readLastVideoNumber } from '../../videos/video-repository.ts';
import type { RootCount } from './root-count-repository.ts';
import { countByRoot } from './root-count-repository.ts';

export interface RootCountsDeps {
  database: Database;
  /** Any change of a video is one of the sets, too. */
  idSets: Pick<IdSets, 'revision'>;
  clock: Clock;
}

/** By the number of the root. */
export type CountsByRoot = ReadonlyMap<number, RootCount>;

interface Counted {
  revision: number;
  counts: CountsByRoot;
  /** By `clock.elapsed()`. */
  at: number;
  tookMs: number;
}

/** Rows that one query counts: some milliseconds, and then others have their turn. */
const videosTogether = 5_000;
/**
 * While the library changes, counts may be so many times as old as counting takes: half a second for a million rows.
 */
const restFactor = 10;

/** How many videos each root has: counted anew only when something has changed. */
export class RootCounts {
  private readonly deps: RootCountsDeps;
  private latest: Counted | null = null;
  private counting: Promise<CountsByRoot> | null = null;

  constructor(deps: RootCountsDeps) {
    this.deps = deps;
  }

  async read(): Promise<CountsByRoot> {
    if (this.latest !== null && this.isGood(this.latest)) return this.latest.counts;
    this.counting ??= this.count().finally(() => {
      this.counting = null;
    });
    return this.counting;
  }

  private isGood({ revision, at, tookMs }: Counted): boolean {
    const { idSets, clock } = this.deps;
    return revision === idSets.revision() || clock.elapsed() - at < tookMs * restFactor;
  }

  private async count(): Promise<CountsByRoot> {
    const { database, idSets, clock } = this.deps;
    const [revision, startedAt] = [idSets.revision(), clock.elapsed()];
    const counts = new Map<number, RootCount>();
    const last = await readLastVideoNumber(database.reader);
    for (let after = 0; after < last; after += videosTogether) {
      for (const count of await countByRoot(database.reader, after, after + videosTogether)) add(counts, count);
      await breathe();
    }
    const at = clock.elapsed();
    this.latest = { revision, counts, at, tookMs: at - startedAt };
    return counts;
  }
}

function add(counts: Map<number, RootCount>, { rootNumber, videos, available }: RootCount): void {
  const known = counts.get(rootNumber);
  counts.set(rootNumber, {
    rootNumber,
    videos: videos + (known?.videos ?? 0),
    available: available + (known?.available ?? 0),
  });
}
