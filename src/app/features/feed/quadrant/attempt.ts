import { after } from '#app/platform/timers.ts';

/** What a quadrant is in: a call, or the wait before the next one. Beginning another ends it. */
export class Attempt {
  #state: 'idle' | 'calling' | 'waiting' = 'idle';
  #abort = new AbortController();
  #cancelWait = () => {};
  #afterWait = () => {};

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  get isCalling(): boolean {
    return this.#state === 'calling';
  }

  begin(): AbortSignal {
    this.end();
    this.#state = 'calling';
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  wait(seconds: number, run: () => void): void {
    this.end();
    this.#state = 'waiting';
    this.#afterWait = run;
    this.#cancelWait = after(seconds * 1000, () => this.#endWait());
  }

  /** There is a reason to try before the wait is over. Does nothing without one. */
  hurry(): void {
    if (this.#state === 'waiting') this.#endWait();
  }

  end(): void {
    this.#state = 'idle';
    this.#abort.abort();
    this.#cancelWait();
  }

  #endWait(): void {
    this.end();
    this.#afterWait();
  }
}
