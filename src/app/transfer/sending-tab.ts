import type { TabTurn } from '#device/tab-turn.ts';
import { after, every } from '#device/timers.ts';

/** The interval at which a lease is extended, and at which a waiting tab checks it. */
export const leaseCheckMs = 1_000;
/** The seconds after which the lease of a closed tab expires. */
export const leaseSeconds = 5;

/** Makes sure that one tab of a browser sends: the next one takes over when it is closed. */
export class SendingTab {
  private readonly turn: TabTurn;
  private readonly onTaken: () => void;
  private readonly onLost: () => void;
  /** Counts the starts, so that the loop of an earlier one ends. */
  private run = 0;
  private release = () => {};
  isHeld = false;

  constructor(turn: TabTurn, onTaken: () => void, onLost: () => void) {
    this.turn = turn;
    this.onTaken = onTaken;
    this.onLost = onLost;
  }

  start(): void {
    this.run += 1;
    void this.compete(this.run);
  }

  stop(): void {
    this.run += 1;
    this.release();
  }

  private async compete(run: number): Promise<void> {
    while (run === this.run) {
      // A device that cannot store the lease now is tried again.
      await this.turn
        .run(
          (isHeld) => this.hold(run, isHeld),
          () => {},
        )
        .catch(() => {});
      if (run === this.run) await new Promise<void>((resolve) => after(leaseCheckMs, resolve));
    }
  }

  private async hold(run: number, isStillHeld: () => Promise<boolean>): Promise<void> {
    if (run !== this.run) return;
    this.isHeld = true;
    this.onTaken();
    await new Promise<void>((resolve) => {
      const check = async () => {
        if (!(await isStillHeld().catch(() => true))) this.release();
      };
      const stopChecking = every(leaseCheckMs, () => void check());
      this.release = () => {
        stopChecking();
        resolve();
      };
    });
    this.release = () => {};
    this.isHeld = false;
    this.onLost();
  }
}
