import { after } from '#app/platform/timers.ts';

/** What a quadrant is in: a call, or the wait before the next one. Beginning another ends it. */
export class Attempt {
  #state: 'idle' | 'calling' | 'waiting' = 'idle';
  #abort = new AbortController();
  #cancelWait = () => {};

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
    this.#cancelWait = after(seconds * 1000, () => {
      this.#state = 'idle';
      run();
    });
  }

  end(): void {
    this.#state = 'idle';
    this.#abort.abort();
    this.#cancelWait();
  }
}
