import type { FileCalls } from '#server/storage/disk-storage.ts';
import { systemFileCalls } from '#server/storage/disk-storage.ts';

/** At which of its calls a process ends itself. `any` stands for each of them. */
export interface KillPoint<Call extends string> {
  call: Call | 'any';
  count: number;
  when: 'before' | 'after';
}

/** Calls that are counted once `isCounting` is set, in a process that is killed at one of them. */
export class CountedCalls {
  isCounting = false;
  /** The system's own, each counted by its name. */
  readonly files: FileCalls;
  private readonly kill: KillPoint<string>;
  private calls = 0;

  constructor(kill: KillPoint<string>) {
    this.kill = kill;
    this.files = Object.fromEntries(
      Object.entries(systemFileCalls).map(([name, call]) => [
        name,
        (...args: unknown[]) => this.count(name, () => (call as (...args: unknown[]) => Promise<unknown>)(...args)),
      ]),
    ) as unknown as FileCalls;
  }

  async count<T>(call: string, work: () => Promise<T>): Promise<T> {
    const { call: fatal, count, when } = this.kill;
    if (!this.isCounting || (call !== fatal && fatal !== 'any')) return work();
    this.calls += 1;
    if (this.calls === count && when === 'before') process.kill(process.pid, 'SIGKILL');
    const result = await work();
    if (this.calls === count) process.kill(process.pid, 'SIGKILL');
    return result;
  }
}
