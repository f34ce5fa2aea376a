import type { DatabaseAddress } from '../../../database/connection.ts';
import type { ScanOutcome, ScanRequest } from '../scan/scan-library.ts';
import type { ScanCount } from '../scan/scan-tools.ts';

/** What the library's thread is started with. */
export interface LibraryThreadData {
  address: DatabaseAddress;
}

/** To the library's thread. `scan` counts them, so that an answer is never taken for that of another one. */
export type LibraryOrder =
  | { kind: 'scan'; scan: number; request: ScanRequest }
  | { kind: 'cancel' }
  | { kind: 'watch' }
  | { kind: 'stop' };

/** From the library's thread. */
export type LibraryNews =
  | { kind: 'progress'; count: ScanCount }
  /** Something was committed that the sets in memory do not hold yet. */
  | { kind: 'stored' }
  /** Something was seen to change, and has been brought in line. */
  | { kind: 'noticed'; count: ScanCount }
  /** Everything should be looked through: more may have changed than was seen. */
  | { kind: 'wanted' }
  | { kind: 'warning'; words: string }
  | { kind: 'scanned'; scan: number; outcome: ScanOutcome }
  /** That scan ended early: it was cancelled, or `error` says what went wrong. */
  | { kind: 'failed'; scan: number; error: Error | null };
