import type { Flag } from './column-types.ts';

/** The effect of a change on a set. */
export type SetOperation = 'add' | 'remove' | 'replace';

/** Snapshots of sets of video numbers. */
interface IdSetsTable {
  key: string;
  /** The last change that the snapshot includes. */
  seq: number;
  cardinality: number;
  bits: Buffer;
}

interface SetChangesTable {
  seq: number;
  key: string;
  op: SetOperation;
  bits: Buffer;
}

/**
 * A single row: the number of the last change, the number of the last one that is no longer in the
 * log, and whether the sets were ever built.
 */
interface SetCounterTable {
  seq: number;
  kept_seq: number;
  built: Flag;
}

export interface SetTables {
  id_sets: IdSetsTable;
  set_changes: SetChangesTable;
  set_counter: SetCounterTable;
}
