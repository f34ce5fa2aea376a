import { every } from '#app/platform/timers.ts';
import { noteRefusal } from '../budget/device-budget.ts';
import { byQuadrant } from '../by-quadrant.ts';
import { openedPlayers } from '../player/player-store.ts';
import { Pulse } from './stall-detector.ts';

const lookEveryMs = 1_000;

/** Looks after players that stand still although they have all they need: a jump to the same second, another load, and then it is a failure. */
export function startWatchdog(): () => void {
  const pulses = byQuadrant(() => new Pulse());
  return every(lookEveryMs, () => {
    for (const [quadrant, player] of openedPlayers()) {
      const vitals = player.vitals();
      const remedy = pulses[quadrant].look(vitals);
      if (!remedy) continue;
      // A jump that did not help speaks of the device as much as of the video.
      if (remedy === 'reload') noteRefusal(vitals?.url ?? '');
      player.treat(remedy);
    }
  });
}
