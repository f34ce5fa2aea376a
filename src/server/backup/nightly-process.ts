import { setPriority } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { rotateBackups } from './archive-reader.ts';
import { describeFailure } from './describe-failure.ts';
import { isNightlyPartial, localDisk, nightlyName } from './disk.ts';
import type { NightlyOrder, NightlyReport } from './nightly-backup.ts';
import { writeBackup } from './write-backup.ts';

/*
 * Makes one backup for the server that started this process. A separate process keeps viewers from
 * waiting for it, and closing its files cannot drop the server's locks on the database (decision
 * 0016).
 */

/** The lowest priority, as of nice(1): all other processes go first. */
const lowest = 19;

async function makeNightly({ folder, at, ...order }: NightlyOrder): Promise<NightlyReport> {
  const disk = localDisk;
  for (const name of (await disk.list(folder)).filter(isNightlyPartial)) await disk.remove(join(folder, name));
  const made = nightlyName(at);
  const file = join(folder, made);
  const outcome = await writeBackup(
    { ...order, file, mayReplace: false },
    { disk, clock: systemClock, report: () => {}, signal: new AbortController().signal },
  );
  return { kind: 'made', file, bytes: outcome.bytes, ...(await rotate(folder, made)) };
}

/**
 * Rotates the backups. A failure is reported, not thrown, because the new backup is already made.
 */
async function rotate(folder: string, made: string): Promise<{ removed: string[]; rotationFailure: string | null }> {
  try {
    return { removed: await rotateBackups(localDisk, folder, made), rotationFailure: null };
  } catch (error) {
    return { removed: [], rotationFailure: describeFailure(error, folder) };
  }
}

try {
  setPriority(lowest);
} catch {
  // A sandbox may forbid this. The backup works at any priority.
}
process.on('disconnect', () => process.exit(1));
process.once('message', (order: NightlyOrder) => {
  makeNightly(order)
    .catch((error: unknown): NightlyReport => ({ kind: 'failed', message: describeFailure(error, order.folder) }))
    .then((report) => process.send?.(report, () => process.exit(0)));
});
