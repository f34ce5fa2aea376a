import { vi } from 'vitest';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { quadrants } from '#contract/quadrants.ts';

/** Says of each quadrant whether it is muted: elements of this document raise no event when their sound changes. */
export function followMutes(): () => boolean[] {
  for (const quadrant of quadrants) {
    playerFacts[quadrant].isMuted = true;
    vi.spyOn(playerOf(quadrant), 'setMuted').mockImplementation((isMuted) => {
      playerFacts[quadrant].isMuted = isMuted;
    });
  }
  return () => quadrants.map((quadrant) => playerFacts[quadrant].isMuted);
}
