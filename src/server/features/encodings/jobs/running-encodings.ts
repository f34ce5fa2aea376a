import type { JobRun } from '../../../jobs/job.ts';

interface Running {
  progress: number;
}

/** What this process encodes at the moment, and how far it is: heartbeats write that down only now and then. */
export class RunningEncodings {
  private readonly byVideo = new Map<number, Running>();

  /** 0 to 100; null: it does not run here. */
  progressOf(videoNumber: number): number | null {
    return this.byVideo.get(videoNumber)?.progress ?? null;
  }

  get size(): number {
    return this.byVideo.size;
  }

  async during<T>(
    videoNumber: number,
    { report }: Pick<JobRun, 'report'>,
    work: (report: (progress: number) => void) => Promise<T>,
  ): Promise<T> {
    const running: Running = { progress: 0 };
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
