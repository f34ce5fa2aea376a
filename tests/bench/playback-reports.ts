import { sql } from 'kysely';
import type { PerformanceReport } from '#contract/entities/performance.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { Database } from '#server/database/connection.ts';

export const viewers = 1_000;
const videos = 20_000;
/** Each quadrant shows another video as often. */
const switchMs = 60_000;

export async function storePlayedVideos(database: Database): Promise<void> {
  await database.write(async (transaction) => {
    await sql`insert into library_roots (name, folder, kind, active, created_at) values ('root', '/root', 'folder', 1, 1)`.execute(
      transaction,
    );
    await sql`insert into videos (id, root_number, path, filename, size, modified_us, available, created_at)
      with recursive counted (n) as (select cast(0 as bigint) union all select n + 1 from counted where n < ${sql.lit(videos - 1)})
      select 'video-' || n, 1, n || '.mp4', n || '.mp4', 1, 1, 1, 1 from counted`.execute(transaction);
  });
}

/** What one viewer sends: some stalls, dropped frames and failures, never the same ones. */
export function reportOf(
  viewer: number,
  now: number,
  { seconds, everySeconds }: { seconds: number; everySeconds: number },
): PerformanceReport {
  const samples: PerformanceReport['samples'] = [];
  for (let ago = seconds - everySeconds; ago >= 0; ago -= everySeconds)
    for (const [index, quadrant] of quadrants.entries()) {
      const at = now - ago * 1_000;
      const chance = (Math.floor(at / 1_000) * 7_919 + viewer * 104_729 + index * 1_299_709) % 1_000;
      samples.push({
        timestamp: new Date(at).toISOString(),
        quadrant,
        dropped_frames: chance % 10 === 0 ? 2 : 0,
        total_frames: 30,
        buffer_level_seconds: 5 + (chance % 20),
        stall_events: chance < 10 * everySeconds ? 1 : 0,
        quality_adjustments: chance === 999 ? 1 : 0,
        failures: chance === 500 ? 1 : 0,
        video_id: `video-${(Math.floor(at / switchMs) * 31 + viewer * 4 + index) % videos}`,
      });
    }
  return { form: 'desktop', sent_at: new Date(now).toISOString(), samples };
}
