import { every } from '#device/timers.ts';
import { byQuadrant } from '../by-quadrant.ts';
import { recordRefusal } from '../media-budget.ts';
import { openedPlayers } from '../player/player.ts';
import type { QualityHost } from '../quality/quality-control.ts';
import { QualityControl } from '../quality/quality-control.ts';
import { refineDeviceClass } from '../quality/refine-device-class.ts';
import { kbpsOf } from '../quality/rendition-choice.ts';
import { PerformanceReporter } from './performance-reporter.ts';
import type { QualitySample } from './quality-sampler.ts';
import { startSampler } from './quality-sampler.ts';
import { StallDetector } from './stall-detector.ts';

/** Starts the monitors of players that already play; the first frames do not depend on them. */
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

const checkEveryMs = 1_000;

/**
 * Recovers players that have stalled although their data is buffered: it seeks to the current
 * second, then reloads the source, then reports a failure.
 */
export function startWatchdog(): () => void {
  const detectors = byQuadrant(() => new StallDetector());
  return every(checkEveryMs, () => {
    for (const [quadrant, player] of openedPlayers()) {
      const progress = player.progress();
      const step = detectors[quadrant].check(progress);
      if (!step) continue;
      // A seek that did not help points to too few decoders as much as to a broken video.
      if (step === 'reload') recordRefusal(progress?.url ?? '');
      player.recover(step);
    }
  });
}
