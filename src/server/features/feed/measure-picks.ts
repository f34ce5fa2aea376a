import type { Clock } from '../../clock.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { PickMetrics, PickOutcome } from '../../metrics/pick-metrics.ts';
import type { GiveVideo } from './give-video.ts';

/** The same draw; its outcome and the time that it takes are counted. */
export function measurePicks(giveVideo: GiveVideo, clock: Clock, metrics: Pick<PickMetrics, 'record'>): GiveVideo {
  return async (...asked) => {
    const startedAt = clock.elapsed();
    const record = (outcome: PickOutcome) => metrics.record(outcome, (clock.elapsed() - startedAt) / 1000);
    try {
      const reply = await giveVideo(...asked);
      record(reply.available ? 'picked' : 'unavailable');
      return reply;
    } catch (error) {
      record(error instanceof Refusal && error.code === 'no_videos_available' ? 'none' : 'failed');
      throw error;
    }
  };
}
