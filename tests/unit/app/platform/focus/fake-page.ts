import type { BackPage } from '#app/platform/input/back-stack.ts';

/** A window with a session history: going back is asynchronous and raises popstate, as in a browser. */
export class FakePage implements BackPage {
  readonly entries: unknown[] = [null];
  at = 0;
  readonly listeners: Array<() => void> = [];
  /** Traversals that were asked for since `holdTravel`, as their deltas. */
  private held: number[] | null = null;

  readonly history = {
    pushState: (state: unknown) => {
      this.entries.splice(this.at + 1, this.entries.length, state);
      this.at += 1;
    },
    go: (delta = 0) => this.ask(delta),
    state: null as unknown,
  };

  constructor() {
    Object.defineProperty(this.history, 'state', { get: () => this.entries[this.at] });
  }

  addEventListener(_: 'popstate', hear: () => void): void {
    this.listeners.push(hear);
  }

  removeEventListener(_: string, hear: () => void): void {
    if (this.listeners.includes(hear)) this.listeners.splice(this.listeners.indexOf(hear), 1);
  }

  /** Back and Forward of the browser, until all that follows is through. */
  async press(button: 'back' | 'forward'): Promise<void> {
    this.travel(button === 'back' ? -1 : 1);
    await this.settled();
  }

  /** Back of the browser, which takes its time where travel is held. */
  async startBack(): Promise<void> {
    this.ask(-1);
    await this.settled();
  }

  /** From now on the history is slow: where it goes is known by `arrive`. */
  holdTravel(): void {
    this.held = [];
  }

  /**
   * What was held takes place, and so does all that it leads to: one after the other, or as one jump, which is what
   * Chromium makes of them.
   */
  async arrive(isOneJump = false): Promise<void> {
    const deltas = this.held ?? [];
    this.held = null;
    if (isOneJump) this.travel(deltas.reduce((sum, delta) => sum + delta, 0));
    else {
      for (const delta of deltas) {
        this.travel(delta);
        await Promise.resolve();
      }
    }
    await this.settled();
  }

  /** Lets microtasks and the traversals they start come to rest. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }

  private ask(delta: number): void {
    if (this.held) this.held.push(delta);
    else void Promise.resolve().then(() => this.travel(delta));
  }

  private travel(delta: number): void {
    const to = this.at + delta;
    if (to < 0 || to >= this.entries.length) return;
    this.at = to;
    for (const hear of this.listeners) hear();
  }
}
