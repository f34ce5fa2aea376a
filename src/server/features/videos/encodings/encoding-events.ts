import type { Processing } from '#contract/entities/video.ts';
import type { Executor } from '../../../database/tables.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { removeEncodings } from './encoding-repository.ts';

/** What is heard of encodings while videos are given and played. */
export interface EncodingEvents {
  /** Somebody waits for it. Null: nothing can make it playable. */
  want(videoNumber: number): Promise<Processing | null>;
  /** A smaller encoding would have done for a pick. */
  countPick(videoNumber: number): void;
  /** It is being played. */
  noteUse(content: string): void;
  /** Its file is gone, or another one stands in its place. */
  noteMissing(content: string): Promise<void>;
  findProcessing(videoNumbers: readonly number[]): Promise<ReadonlyMap<number, Processing>>;
}

interface EventDeps {
  idSets: Pick<IdSets, 'write'>;
  /** Has the sets of videos say what can be played of it now. */
  alignEncoded(transaction: Executor, changes: SetChanges, videoNumber: number): Promise<void>;
}

export function createEncodingEvents({ idSets, alignEncoded }: EventDeps): EncodingEvents {
  return {
    want: async () => null,
    countPick() {},
    noteUse() {},
    noteMissing: (content) =>
      idSets.write(async (transaction, changes) => {
        for (const number of await removeEncodings(transaction, content))
          await alignEncoded(transaction, changes, number);
      }),
    findProcessing: async () => new Map(),
  };
}
