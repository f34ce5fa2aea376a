import type { Clock } from '../../../clock.ts';
import { PlaybackSlots } from '../stats/playback-slots.ts';
import { VideoSlots } from '../videos/video-slots.ts';
import type { Sample } from './sample.ts';
import type { Reporter, Viewer } from './viewer.ts';
import type { PresentViewer } from './viewers.ts';
import { Viewers } from './viewers.ts';

export interface RecorderDeps {
  clock: Clock;
  /** Names this process anew. */
  nameNode: () => string;
  /** Whether a viewer was sent bytes of a video lately; they stay when there are too many. */
  hasBytes?: (viewer: string) => boolean;
}

/** Counts what viewers report to this process, in memory. */
export class Recorder {
  readonly playback: PlaybackSlots;
  readonly videos: VideoSlots;
  private readonly clock: Clock;
  private readonly viewers: Viewers;

  constructor({ clock, nameNode, hasBytes = () => false }: RecorderDeps) {
    this.clock = clock;
    this.viewers = new Viewers(hasBytes);
    this.playback = new PlaybackSlots(nameNode);
    this.videos = new VideoSlots(nameNode);
  }

  /** Samples that have not come before, of viewers that there is room for. @returns whether any of them tells of stalls */
  record(reporter: Reporter, samples: readonly Sample[]): boolean {
    const viewer = samples.length === 0 ? null : this.viewers.find(reporter);
    if (viewer === null) return false;
    const now = this.clock.elapsed();
    return samples.filter((sample) => this.count(viewer, sample, now) && sample.stalls > 0).length > 0;
  }

  presentViewers(): PresentViewer[] {
    return this.viewers.present(this.clock.now());
  }

  countPresentViewers(): number {
    return this.viewers.countPresent(this.clock.now());
  }

  /** Frees what is known of viewers who have gone. */
  forgetViewers(): void {
    this.viewers.forget(this.clock.now());
  }

  get viewerCount(): number {
    return this.viewers.size;
  }

  /** @returns whether it is new */
  private count(viewer: Viewer, sample: Sample, now: number): boolean {
    const own = viewer.in(sample.quadrant, now);
    if (!own.seen.add(sample.deviceAt, now)) return false;
    const { change } = own.sessions.add(sample.at);
    if (change !== null) this.playback.addSession(sample.quadrant, change);
    const any = viewer.sessions.add(sample.at);
    if (any.change !== null) this.playback.addSession('all', any.change);
    any.session.stalls += sample.stalls;
    this.playback.addSample(sample);
    this.videos.addSample(sample);
    return true;
  }
}
