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
}

/** Counts what viewers report to this process, in memory. */
export class Recorder {
  readonly playback: PlaybackSlots;
  readonly videos: VideoSlots;
  private readonly clock: Clock;
  private readonly viewers = new Viewers();

  constructor({ clock, nameNode }: RecorderDeps) {
    this.clock = clock;
    this.playback = new PlaybackSlots(nameNode);
    this.videos = new VideoSlots(nameNode);
  }

  /** Samples that have not come before, of viewers that there is room for. */
  record(reporter: Reporter, samples: readonly Sample[]): void {
    const viewer = samples.length === 0 ? null : this.viewers.find(reporter);
    if (viewer === null) return;
    const now = this.clock.elapsed();
    for (const sample of samples) this.count(viewer, sample, now);
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

  private count(viewer: Viewer, sample: Sample, now: number): void {
    const own = viewer.in(sample.quadrant, now);
    if (!own.seen.add(sample.deviceAt, now)) return;
    const { change } = own.sessions.add(sample.at);
    if (change !== null) this.playback.addSession(sample.quadrant, change);
    const any = viewer.sessions.add(sample.at);
    if (any.change !== null) this.playback.addSession('all', any.change);
    any.session.stalls += sample.stalls;
    this.playback.addSample(sample);
    this.videos.addSample(sample);
  }
}
