import type { Instant } from './column-types.ts';

interface JobsTable {
  id: string;
  kind: string;
  /** The subject of the job: at most one job of a kind is queued or running for it. */
  subject: string;
  /** Kind and subject while it is queued or running, null after it has ended. Unique. */
  active_key: string | null;
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** The runner's lane for this job. */
  lane: string;
  /** Jobs with lower numbers run first. */
  priority: number;
  /** The earliest time to run it. */
  run_at: Instant;
  /** Identifies one claim; a runner with another lease has lost the job. */
  lease: string | null;
  lease_until: Instant | null;
  /** The node that runs it or ran it last; for people. */
  leased_by: string | null;
  attempts: number;
  attempts_max: number;
  /** Percent, 0 to 100. */
  progress: number;
  /** The error of the job or of its last attempt, in words for an admin. */
  error: string | null;
  video_number: number | null;
  /** JSON. */
  payload: string;
  created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
}

export interface JobTables {
  jobs: JobsTable;
}
