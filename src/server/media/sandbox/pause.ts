/** What stands still, and what goes on, while some programs go first. */
export class Precedence {
  /** Of all programs. */
  readonly all = new Pause();
  /** Of those that yield. */
  readonly yielding = new Pause();
  private first = 0;

  setPaused(isPaused: boolean): void {
    this.all.set(isPaused);
    this.apply();
  }

  /** Lets those that yield stand still during some work. */
  async duringFirst<T>(work: () => Promise<T>): Promise<T> {
    this.first += 1;
    this.apply();
    try {
      return await work();
    } finally {
      this.first -= 1;
      this.apply();
    }
  }

  private apply(): void {
    this.yielding.set(this.all.isPaused || this.first > 0);
  }
}

/** Stops running programs where they are, and lets them go on. One that starts meanwhile is stopped, too. */
export class Pause {
  private paused = false;
  private readonly listeners = new Set<() => void>();

  get isPaused(): boolean {
    return this.paused;
  }

  set(isPaused: boolean): void {
    if (this.paused === isPaused) return;
    this.paused = isPaused;
    for (const listener of [...this.listeners]) listener();
  }

  /** @returns what ends it */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
