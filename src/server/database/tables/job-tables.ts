import type { Instant } from './column-types.ts';

export interface JobsTable {
  id: string;
  kind: string;
  /** What it is about: one job of a kind is queued or running for a subject, never two. */
  subject: string;
  /** Kind and subject while it is queued or running, null once it ended. Unique. */
  active_key: string | null;
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** Which of the runner's lanes it runs in. */
  lane: string;
  /** Lower goes first. */
  priority: number;
  /** Not before. */
  run_at: Instant;
  /** Names one claim; whoever holds another one has lost the job. */
  lease: string | null;
  lease_until: Instant | null;
  /** The node that runs it or ran it last; for people. */
  leased_by: string | null;
  attempts: number;
  attempts_max: number;
  /** 0 to 100. */
  progress: number;
  /** Why it failed, or why its last attempt did, in words for an admin. */
  error: string | null;
  video_number: number | null;
  /** JSON. */
  payload: string;
  created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
}
