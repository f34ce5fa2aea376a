import { kbpsOf } from '../quality/quadrant-demand.ts';
import type { QualityHost } from '../quality/quality-control.ts';
import { QualityControl } from '../quality/quality-control.ts';
import { refineDeviceClass } from '../quality/refine-device-class.ts';
import { PerformanceReporter } from './performance-reporter.ts';
import type { QualitySample } from './quality-sample.ts';
import { startSampler } from './quality-sampler.ts';
import { startWatchdog } from './watchdog.ts';

/** Starts what monitors players that already play: no first frame needs it. */
export function startMonitors(host: QualityHost): void {
  const reporter = new PerformanceReporter();
  reporter.start();
  startWatchdog();
  const control = new QualityControl(host);
  startSampler((samples) => {
    reporter.add(samples.map((sample) => ({ ...sample, kbps: kbpsIn(host, sample) })));
    control.judge(samples);
  });
  void refineDeviceClass();
}

function kbpsIn(host: QualityHost, { quadrant, videoId }: QualitySample): number | null {
  const video = host.read(quadrant)?.video;
  return video && video.id === videoId ? kbpsOf(video) : null;
}
