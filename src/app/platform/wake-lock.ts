import { wakeLocks } from '#app/platform/later-capabilities.ts';

/** The activities that keep the screen on. */
type WakeLockHolder = 'playing' | 'uploading' | 'venue';

/**
 * Keeps the screen on while there is a holder. A hidden page loses the lock, and requests it again
 * when it is visible.
 */
class ScreenWakeLock {
  private readonly holders = new Set<WakeLockHolder>();
  private isRequesting = false;
  private held: WakeLockSentinel | null = null;
  private isListening = false;

  setHolding(holder: WakeLockHolder, isHolding: boolean): void {
    if (isHolding) this.holders.add(holder);
    else this.holders.delete(holder);
    if (!this.isListening) document.addEventListener('visibilitychange', () => void this.update());
    this.isListening = true;
    void this.update();
  }

  private isWanted(): boolean {
    return this.holders.size > 0 && !document.hidden;
  }

  private async update(): Promise<void> {
    if (!this.isWanted()) return this.release();
    if (this.held || this.isRequesting) return;
    this.isRequesting = true;
    // The request is refused on a low battery, or when the system does not allow it: videos and
    // uploads continue anyway.
    const lock = await wakeLocks()
      ?.request('screen')
      .catch(() => undefined);
    this.isRequesting = false;
    if (!lock) return;
    this.held = lock;
    lock.addEventListener('release', () => this.onReleased(lock));
    if (!this.isWanted()) this.release();
  }

  private onReleased(lock: WakeLockSentinel): void {
    if (this.held === lock) this.held = null;
  }

  private release(): void {
    const lock = this.held;
    this.held = null;
    void lock?.release().catch(ignoreReleased);
  }
}

const screenWakeLock = new ScreenWakeLock();

/** Keeps the screen on for this holder, or no longer; it turns off when there is no holder. */
export function keepScreenOn(holder: WakeLockHolder, isOn: boolean): void {
  screenWakeLock.setHolding(holder, isOn);
}

/** The lock was released already. */
function ignoreReleased(): void {}
