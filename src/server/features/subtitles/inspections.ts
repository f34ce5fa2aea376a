import type { Processing } from '#contract/entities/video.ts';
import type { Container } from '../../media/containers/container-sniff.ts';
import type { Video } from '../videos/video.ts';
import { versionOf } from '../videos/video.ts';

/**
 * Has the inside of a video looked at by ffmpeg, before other work, so that its subtitles are stored.
 * @returns null where nothing can do that
 */
export type InspectVideo = (videoNumber: number) => Promise<Processing | null>;

const withTextTracks: readonly (Container | null)[] = ['matroska', 'webm', 'mp4', 'mov'];
/** Those that were asked for last. */
const rememberedMax = 5_000;

/** Asks once for each file. */
export class Inspections {
  private readonly inspect: InspectVideo;
  private readonly asked = new Map<number, { version: string; processing: Processing | null }>();

  constructor(inspect: InspectVideo) {
    this.inspect = inspect;
  }

  /** For a video of whose file nothing is known yet. Null: nothing will be. */
  async request(video: Video): Promise<Processing | null> {
    if (!withTextTracks.includes(video.container)) return null;
    const version = versionOf(video);
    const known = this.asked.get(video.number);
    if (known?.version === version) return known.processing;
    const processing = await this.inspect(video.number);
    this.asked.set(video.number, { version, processing });
    const [oldest] = this.asked.size > rememberedMax ? this.asked.keys() : [];
    if (oldest !== undefined) this.asked.delete(oldest);
    return processing;
  }
}
