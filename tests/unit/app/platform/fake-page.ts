import type { BackPage } from '#app/platform/back-stack.ts';

/** A window with a session history: going back is asynchronous and raises popstate, as in a browser. */
export class FakePage implements BackPage {
  readonly entries: unknown[] = [null];
  at = 0;
  readonly listeners: Array<() => void> = [];

  readonly history = {
    pushState: (state: unknown) => {
      this.entries.splice(this.at + 1, this.entries.length, state);
      this.at += 1;
    },
    go: (delta = 0) => void Promise.resolve().then(() => this.travel(delta)),
    state: null as unknown,
  };

  constructor() {
    Object.defineProperty(this.history, 'state', { get: () => this.entries[this.at] });
  }

  addEventListener(_: 'popstate', hear: () => void): void {
    this.listeners.push(hear);
  }

  /** Back and Forward of the browser, until all that follows is through. */
  async press(button: 'back' | 'forward'): Promise<void> {
    this.travel(button === 'back' ? -1 : 1);
    await this.settled();
  }

  /** Lets microtasks and the traversals they start come to rest. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }

  private travel(delta: number): void {
    const to = this.at + delta;
    if (to < 0 || to >= this.entries.length) return;
    this.at = to;
    for (const hear of this.listeners) hear();
  }
}
