import type { ColumnType } from 'kysely';
import type { RowNumber } from './column-types.ts';

/** The videos of a block of 65,536 numbers whose file names contain a part of a name. */
interface NameGramsTable {
  /** A part of a name, see `features/search/name-grams.ts`. */
  gram: string;
  /** The upper 16 bits of the videos' numbers. */
  block: number;
  /** The number of these videos. */
  count: number;
  /** Their full numbers, in the format of `id-sets/bits.ts`. */
  bits: Buffer;
}

/** New or changed file names that are not in the index yet. A video may have several rows. */
interface UnindexedNamesTable {
  number: RowNumber;
  video_number: number;
  /** The previous name; null for a new video. */
  was: ColumnType<string | null, string | null | undefined, never>;
}

export interface SearchTables {
  name_grams: NameGramsTable;
  unindexed_names: UnindexedNamesTable;
}
