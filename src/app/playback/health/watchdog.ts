import { every } from '#app/platform/timers.ts';
import { noteRefusal } from '../budget/device-budget.ts';
import { byQuadrant } from '../by-quadrant.ts';
import { openedPlayers } from '../player/player-store.ts';
import { StallDetector } from './stall-detector.ts';

const checkEveryMs = 1_000;

/**
 * Recovers players that have stalled although they have all they need: a jump to the same second, another load, and
 * then it is a failure.
 */
export function startWatchdog(): () => void {
  const detectors = byQuadrant(() => new StallDetector());
  return every(checkEveryMs, () => {
    for (const [quadrant, player] of openedPlayers()) {
      const progress = player.progress();
      const step = detectors[quadrant].check(progress);
      if (!step) continue;
      // A jump that did not help is a sign of too few decoders as much as of a broken video.
      if (step === 'reload') noteRefusal(progress?.url ?? '');
      player.recover(step);
    }
  });
}
