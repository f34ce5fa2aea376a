import type { Clock } from '../../../clock.ts';
import type { JobRun } from '../../../jobs/job.ts';

interface Running {
  progress: number;
  goesBetween: boolean;
  startedAt: number;
}

/** What this process encodes at the moment, and how far it is: heartbeats write that down only now and then. */
export class RunningEncodings {
  private readonly clock: Pick<Clock, 'now'>;
  private readonly byVideo = new Map<number, Running>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.clock = clock;
  }

  /** Since when an encoding stands still here because another one goes between; null: it does not. */
  yieldsSince(videoNumber: number): number | null {
    if (this.byVideo.get(videoNumber)?.goesBetween !== false) return null;
    const between = [...this.byVideo.values()].find(({ goesBetween }) => goesBetween);
    return between?.startedAt ?? null;
  }

  /** 0 to 100; null: it does not run here. */
  progressOf(videoNumber: number): number | null {
    return this.byVideo.get(videoNumber)?.progress ?? null;
  }

  get size(): number {
    return this.byVideo.size;
  }

  async during<T>(
    videoNumber: number,
    { report, job }: Pick<JobRun, 'report' | 'job'>,
    work: (report: (progress: number) => void) => Promise<T>,
  ): Promise<T> {
    const running: Running = { progress: 0, goesBetween: job.lane === 'between', startedAt: this.clock.now() };
    this.byVideo.set(videoNumber, running);
    try {
      return await work((progress) => {
        running.progress = Math.min(Math.max(0, progress), 100);
        report(progress);
      });
    } finally {
      if (this.byVideo.get(videoNumber) === running) this.byVideo.delete(videoNumber);
    }
  }
}
