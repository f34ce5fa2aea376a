import { startSampler } from './quality-sampler.ts';
import { startWatchdog } from './watchdog.ts';

/** Starts what monitors players that already play: no first frame needs it. */
export function startMonitors(): void {
  startWatchdog();
  startSampler();
}
