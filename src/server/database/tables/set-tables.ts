import type { Flag } from './column-types.ts';

/** What a change does to a set. */
export type SetOperation = 'add' | 'remove' | 'replace';

/** Sets of video numbers as they were at some moment. */
export interface IdSetsTable {
  key: string;
  /** The last change that it holds. */
  seq: number;
  cardinality: number;
  bits: Buffer;
}

export interface SetChangesTable {
  seq: number;
  key: string;
  op: SetOperation;
  bits: Buffer;
}

/**
 * One row: the number of the last change, that of the last one which is no longer kept, and whether the sets were ever
 * built.
 */
export interface SetCounterTable {
  seq: number;
  kept_seq: number;
  built: Flag;
}
