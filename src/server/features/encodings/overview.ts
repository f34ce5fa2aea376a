import type { EncodingOverview } from '#contract/entities/site/encodings.ts';
import type { Database } from '../../database/connection.ts';
import type { Encoder } from '../../media/encode/encoder.ts';
import type { RunningEncodings } from './jobs/running-encodings.ts';
import type { ViewerPause } from './jobs/viewer-pause.ts';
import { countEncodings, listRunning } from './overview-repository.ts';
import type { Budget } from './room/budget.ts';
import type { Room } from './room/room.ts';

export interface OverviewDeps {
  database: Pick<Database, 'reader'>;
  encoder: Encoder;
  room: Pick<Room, 'usedBytes'>;
  budget: Budget;
  running: Pick<RunningEncodings, 'progressOf' | 'yieldsSince'>;
  pause: Pick<ViewerPause, 'pausedAt'>;
}

/** What administrators see. What runs on another node is as far as its last heartbeat says. */
export async function readOverview(deps: OverviewDeps): Promise<EncodingOverview> {
  const { reader } = deps.database;
  const facts = await deps.encoder.facts();
  return {
    used_bytes: await deps.room.usedBytes(),
    budget_bytes: deps.budget.bytes,
    free_bytes: (await deps.budget.readSpace())?.free ?? null,
    ...(await countEncodings(reader)),
    running: (await listRunning(reader)).map((row) => toRunning(deps, row)),
    encoder: facts?.encoder ?? null,
    is_hardware: facts?.isHardware ?? false,
    maps_tones: facts?.mapsTones ?? false,
  };
}

function toRunning(
  { running, pause }: OverviewDeps,
  { number, id, filename, progress }: { number: number; id: string; filename: string; progress: number },
): EncodingOverview['running'][number] {
  const here = running.progressOf(number);
  const isPaused = here !== null && pause.pausedAt !== null;
  const yieldsSince = running.yieldsSince(number);
  return {
    video_id: id,
    filename,
    progress: here ?? progress,
    paused_at: isPaused ? new Date(pause.pausedAt ?? 0).toISOString() : null,
    yields_since: yieldsSince === null ? null : new Date(yieldsSince).toISOString(),
  };
}
