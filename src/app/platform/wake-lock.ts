import { wakeLocks } from './capabilities.ts';

/** Keeps the screen on while that is wanted. A hidden page loses the lock, and requests it again when it is visible. */
class ScreenWakeLock {
  private isWanted = false;
  private isRequesting = false;
  private held: WakeLockSentinel | null = null;
  private isListening = false;

  setWanted(isWanted: boolean): void {
    this.isWanted = isWanted;
    if (!this.isListening) document.addEventListener('visibilitychange', () => void this.update());
    this.isListening = true;
    void this.update();
  }

  private async update(): Promise<void> {
    if (!this.isWanted || document.hidden) return this.release();
    if (this.held || this.isRequesting) return;
    this.isRequesting = true;
    // Refused on a low battery, and where the system does not allow it: the video plays all the same.
    const lock = await wakeLocks()
      ?.request('screen')
      .catch(() => undefined);
    this.isRequesting = false;
    if (!lock) return;
    this.held = lock;
    lock.addEventListener('release', () => this.onReleased(lock));
    if (!this.isWanted || document.hidden) this.release();
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

/** Keeps the screen on, or lets it go dark again. */
export function keepScreenOn(isOn: boolean): void {
  screenWakeLock.setWanted(isOn);
}

/** It was released already. */
function ignoreReleased(): void {}
