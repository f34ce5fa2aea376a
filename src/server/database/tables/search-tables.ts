import type { ColumnType } from 'kysely';
import type { RowNumber } from './column-types.ts';

/** Which videos of a block of 65,536 numbers have a part of a name in their file names. */
export interface NameGramsTable {
  /** See `features/search/name-grams.ts`. */
  gram: string;
  /** The upper 16 bits of the videos' numbers. */
  block: number;
  /** How many they are. */
  count: number;
  /** Their whole numbers, as `id-sets/bits.ts` writes sets down. */
  bits: Buffer;
}

/** File names that are new or changed, and not in the index yet. A video can stand here more than once. */
export interface UnindexedNamesTable {
  number: RowNumber;
  video_number: number;
  /** The name that it had before; null for a new one. */
  was: ColumnType<string | null, string | null | undefined, never>;
}
