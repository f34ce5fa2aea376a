import type { Probe } from '../../../media/probe/probe.ts';
import { headerVersion } from '../../../media/probe/probe.ts';
import type { FileVersion } from '../../../storage/file-version.ts';
import { alignEncoded, markMissing, markReturned } from '../../library/availability-repository.ts';
import { updateVideo } from '../../library/library-repository.ts';
import { toProbedFacts } from '../../library/probed-facts.ts';
import type { IntakeDeps } from '../intake/intake-deps.ts';
import { videosFolder } from '../upload-file.ts';
import { findStoredFile } from './find-stored-file.ts';
import type { StoredUpload } from './stored-upload-repository.ts';
import { listStoredUploads, setModified } from './stored-upload-repository.ts';

export type AlignDeps = Pick<IntakeDeps, 'database' | 'idSets' | 'clock' | 'storage' | 'prober' | 'rootNumber'>;

/** Files that are looked at together, and at most so many rows in a transaction. */
const rowsTogether = 250;

/** What came of looking at some files, by the numbers of their videos. */
interface Findings {
  missing: number[];
  returned: number[];
  /** Epoch microseconds. */
  modified: Map<number, number>;
  /** Files whose headers were read by an older version, with what this one reads. */
  read: { row: StoredUpload; version: FileVersion; probe: Probe }[];
}

/**
 * Videos of the root of uploads whose file is gone cannot be picked until it is back: the archive of a backup comes
 * without files.
 */
export async function alignRows(deps: AlignDeps, signal: AbortSignal): Promise<void> {
  for (let after = 0; !signal.aborted; ) {
    const rows = await listStoredUploads(deps.database.reader, deps.rootNumber(), after, rowsTogether);
    const last = rows.at(-1);
    if (last === undefined) return;
    await writeDown(deps, await inspect(deps, rows, signal));
    after = last.number;
  }
}

async function inspect(deps: AlignDeps, rows: readonly StoredUpload[], signal: AbortSignal): Promise<Findings> {
  const findings: Findings = { missing: [], returned: [], modified: new Map(), read: [] };
  for (const row of rows) {
    if (signal.aborted) break;
    const version = await findStoredFile(deps, row);
    if (version === null) {
      if (!row.isMissing || row.isAvailable) findings.missing.push(row.number);
      continue;
    }
    const probe = row.headerVersion < headerVersion ? await readHeaders(deps, row) : null;
    if (probe !== null) {
      findings.read.push({ row, version, probe });
      continue;
    }
    if (version.modifiedUs !== row.modifiedUs) findings.modified.set(row.number, version.modifiedUs);
    if (row.isMissing || row.isAvailable !== row.canBeAvailable) findings.returned.push(row.number);
  }
  return findings;
}

/** Null for a file that a disk does not give at the moment: it is tried again within the hour. */
async function readHeaders({ storage, prober }: AlignDeps, { path }: StoredUpload): Promise<Probe | null> {
  const [reading] = await prober.read([storage.localFile(`${videosFolder}/${path}`)]);
  return reading === undefined || reading.probe.reason === 'unreadable' ? null : reading.probe;
}

async function writeDown({ idSets, clock }: AlignDeps, { missing, returned, modified, read }: Findings): Promise<void> {
  if (missing.length + returned.length + modified.size + read.length === 0) return;
  await idSets.write(async (transaction, changes) => {
    for (const { row, version, probe } of read)
      await updateVideo(transaction, changes, row, {
        size: version.size,
        modified_us: version.modifiedUs,
        fingerprint: row.fingerprint,
        ...toProbedFacts(probe),
        missing_since: null,
      });
    for (const [number, modifiedUs] of modified) {
      await setModified(transaction, number, modifiedUs);
      await alignEncoded(transaction, changes, number);
    }
    if (missing.length > 0) await markMissing(transaction, changes, missing, clock.now());
    if (returned.length > 0) await markReturned(transaction, changes, returned);
  });
}
