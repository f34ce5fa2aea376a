import type { KyselyPlugin } from 'kysely';
import type { Database } from '#server/database/connection.ts';
import type { FileCalls } from '#server/storage/disk-storage.ts';
import { systemFileCalls } from '#server/storage/disk-storage.ts';

type CallName = keyof FileCalls | 'statement' | 'commit';

interface FaultPlan {
  /** As the system names it (`ENOSPC`). */
  code?: string;
  /** Only calls of this name count. */
  call?: CallName;
  /** All later ones of whatever name fail as well, as those of a process that is gone. */
  isForGood?: boolean;
}

/**
 * Counts calls that change the disk, and statements and commits of a database, from 0 on; one of them fails, before it
 * has done anything.
 */
export class CallFaults {
  private calls = 0;
  private failsAt = Number.POSITIVE_INFINITY;
  private only: FaultPlan['call'];
  private code = 'EIO';
  private isForGood = false;

  plan(failsAt: number, { code = 'EIO', call, isForGood = false }: FaultPlan = {}): void {
    Object.assign(this, { calls: 0, failsAt, code, only: call, isForGood });
  }

  /** @returns whether there was a call to fail */
  heal(): boolean {
    const hasFailed = this.calls > this.failsAt;
    this.plan(Number.POSITIVE_INFINITY);
    return hasFailed;
  }

  /** The same calls, any of which may fail. */
  filesOf(files: FileCalls = systemFileCalls): FileCalls {
    const counted = Object.entries(files).map(([name, call]) => [
      name,
      async (...args: unknown[]) => {
        this.count(name as CallName);
        return (call as (...args: unknown[]) => Promise<unknown>)(...args);
      },
    ]);
    return Object.fromEntries(counted) as FileCalls;
  }

  /** From now on what it writes counts. */
  watch(database: Database): void {
    const write = database.write.bind(database);
    const countsStatements: KyselyPlugin = {
      transformQuery: ({ node }) => {
        this.count('statement');
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    database.write = (work) =>
      write(async (transaction) => {
        const result = await work(transaction.withPlugin(countsStatements));
        // All of it was in vain.
        this.count('commit');
        return result;
      });
  }

  private count(call: CallName): void {
    const hasEnded = this.isForGood && this.calls > this.failsAt;
    if (this.only === undefined || this.only === call) this.calls += 1;
    else if (!hasEnded) return;
    if (hasEnded || this.calls === this.failsAt + 1)
      throw Object.assign(new Error(`planned: ${this.code}`), { code: this.code });
  }
}
