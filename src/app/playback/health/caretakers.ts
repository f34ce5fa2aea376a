import { startSampler } from './quality-sampler.ts';
import { startWatchdog } from './watchdog.ts';

/** What looks after players that already play: no first picture needs it. */
export function startCaretakers(): void {
  startWatchdog();
  startSampler();
}
