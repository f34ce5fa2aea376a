import type { Processing } from '#contract/entities/video.ts';
import type { Database } from '../../../database/connection.ts';
import { removeEncodings } from './encoding-repository.ts';

/** What is heard of encodings while videos are given and played. */
export interface EncodingEvents {
  /** A smaller encoding would have done for a pick. */
  countPick(videoNumber: number): void;
  /** It is being played. */
  noteUse(content: string): void;
  /** Its file is gone, or another one stands in its place. */
  noteMissing(content: string): Promise<void>;
  findProcessing(videoNumbers: readonly number[]): Promise<ReadonlyMap<number, Processing>>;
}

export function createEncodingEvents(database: Database): EncodingEvents {
  return {
    countPick() {},
    noteUse() {},
    noteMissing: (content) => database.write((transaction) => removeEncodings(transaction, content)),
    findProcessing: async () => new Map(),
  };
}
