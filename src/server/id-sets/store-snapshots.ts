import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Database } from '../database/connection.ts';
import { encodeSet } from './bits.ts';
import type { Follower } from './follower.ts';
import type { LiveSet, LiveSets } from './live-sets.ts';
import { readFirstSeq, readLogPlace, recordStored, storeSnapshot, trimChanges } from './set-repository.ts';

/** What one transaction stores: some milliseconds. */
const bytesTogether = 262_144;
const setsTogether = 50;
const changesTogether = 5_000;

/**
 * Stores the sets that have changed since they were stored, and then takes their changes out of the log. Cut short at
 * any point, it has done no harm: a change goes only after every set holds it in a snapshot.
 * @returns how many sets were stored
 */
export async function storeSnapshots(database: Database, sets: LiveSets, follower: Follower): Promise<number> {
  const upTo = follower.seq();
  const place = await readLogPlace(database.reader);
  if (upTo <= place.keptSeq) return 0;
  // Another process has stored these.
  for (const set of sets.all()) if (set.seq <= place.keptSeq) sets.noteStored(set.key, set.seq);
  const changed = [...sets.all()].filter((set) => set.seq > set.storedSeq);
  for (const slice of slices(changed)) await storeSlice(database, sets, follower, slice);
  await database.write((transaction) => recordStored(transaction, upTo));
  await trim(database, upTo);
  return changed.length;
}

async function storeSlice(
  database: Database,
  sets: LiveSets,
  follower: Follower,
  slice: readonly LiveSet[],
): Promise<void> {
  const seq = follower.seq();
  const snapshots = slice.map(({ key, bits }) => ({ key, seq, cardinality: bits.size, bits: encodeSet(bits) }));
  await database.write(async (transaction) => {
    for (const snapshot of snapshots) await storeSnapshot(transaction, snapshot);
  });
  for (const { key } of snapshots) sets.noteStored(key, seq);
  await letOthersRun();
}

function* slices(sets: readonly LiveSet[]): Generator<LiveSet[]> {
  let slice: LiveSet[] = [];
  let bytes = 0;
  for (const set of sets) {
    slice.push(set);
    bytes += set.bits.getSerializationSizeInBytes('portable');
    if (bytes < bytesTogether && slice.length < setsTogether) continue;
    yield slice;
    [slice, bytes] = [[], 0];
  }
  if (slice.length > 0) yield slice;
}

async function trim(database: Database, upTo: number): Promise<void> {
  let first = await readFirstSeq(database.reader);
  while (first !== null && first <= upTo) {
    const end = Math.min(upTo, first + changesTogether);
    await database.write((transaction) => trimChanges(transaction, end));
    first = end + 1;
    await letOthersRun();
  }
}
