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
