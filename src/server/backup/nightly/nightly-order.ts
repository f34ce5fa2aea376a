import { z } from 'zod';
import type { BackupOrder } from '../write-backup.ts';

/** What the process that makes a nightly backup is told. */
export type NightlyOrder = Pick<BackupOrder, 'dataFolder' | 'address' | 'version'> & {
  folder: string;
  /** Epoch milliseconds: what the backup is called by. */
  at: number;
};

/** What it says at its end. */
export const nightlyReportSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('made'),
    file: z.string(),
    bytes: z.number(),
    /** Names of older ones. */
    removed: z.array(z.string()),
    rotationFailure: z.string().nullable(),
  }),
  z.object({ kind: z.literal('failed'), message: z.string() }),
]);
export type NightlyReport = z.infer<typeof nightlyReportSchema>;
