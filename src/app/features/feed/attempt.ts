import { after } from '#app/platform/timers.ts';

/** What a quadrant is in: a call, or the wait before the next one. Beginning another ends it. */
export class Attempt {
  #abort = new AbortController();
  #cancelWait = () => {};

  begin(): AbortSignal {
    this.end();
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  wait(seconds: number, run: () => void): void {
    this.#cancelWait();
    this.#cancelWait = after(seconds * 1000, run);
  }

  end(): void {
    this.#abort.abort();
    this.#cancelWait();
  }
}
