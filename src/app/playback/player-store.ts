import { proxy } from 'valtio/vanilla';
import type { Quadrant } from '#contract/quadrants.ts';
import { takeVideosAhead } from '../platform/asked-ahead.ts';
import { byQuadrant } from './by-quadrant.ts';
import type { PlayerFacts } from './player.ts';
import { Player, restingFacts } from './player.ts';

/** The facts of the four players, as their elements reported them. */
export const playerFacts = proxy<Record<Quadrant, PlayerFacts>>(byQuadrant(() => ({ ...restingFacts })));

export interface Audience {
  shown(quadrant: Quadrant): void;
  ended(quadrant: Quadrant): void;
  failed(quadrant: Quadrant): void;
}

let players: Record<Quadrant, Player> | null = null;

/** Makes the four players. They need no place on the page yet: a picture can be on its way before there is one. */
export function openPlayers(audience: Audience): void {
  const ahead = takeVideosAhead();
  players = byQuadrant(
    (quadrant) =>
      new Player(
        {
          changed: (facts) => Object.assign(playerFacts[quadrant], facts),
          shown: () => audience.shown(quadrant),
          ended: () => audience.ended(quadrant),
          failed: () => audience.failed(quadrant),
        },
        ahead[quadrant],
      ),
  );
}

/** @throws before `openPlayers` */
export function playerOf(quadrant: Quadrant): Player {
  if (!players) throw new Error('The players are not open');
  return players[quadrant];
}

export function releasePlayers(): void {
  for (const player of Object.values(players ?? {})) player.release();
  players = null;
}
