import { refineDeviceClass } from '../quality/refine-device-class.ts';
import { PerformanceReporter } from './performance-reporter.ts';
import { startSampler } from './quality-sampler.ts';
import { startWatchdog } from './watchdog.ts';

/** Starts what monitors players that already play: no first frame needs it. */
export function startMonitors(): void {
  const reporter = new PerformanceReporter();
  reporter.start();
  startWatchdog();
  void refineDeviceClass();
  startSampler((samples) => reporter.add(samples));
}
