import { proxy } from 'valtio/vanilla';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant } from '../by-quadrant.ts';
import type { PlayerError } from './load-source.ts';
import { Player } from './player.ts';
import type { PlayerFacts } from './player-facts.ts';
import { restingFacts } from './player-facts.ts';
import type { PlayerListener } from './player-listener.ts';

/** The facts of the four players, as their elements reported them. */
export const playerFacts = proxy<Record<Quadrant, PlayerFacts>>(byQuadrant(() => ({ ...restingFacts })));

export interface Audience {
  shown(quadrant: Quadrant): void;
  ended(quadrant: Quadrant): void;
  failed(quadrant: Quadrant): void;
  /** What was prepared to follow gives no picture, and is dropped. */
  nextFailed?(quadrant: Quadrant, error: PlayerError): void;
}

let players: Record<Quadrant, Player> | null = null;

/**
 * Makes the four players. They need no place on the page yet: a frame can be on its way before there is one.
 * @param started elements whose source is set already
 */
export function openPlayers(audience: Audience, started: Partial<Record<Quadrant, HTMLVideoElement>> = {}): void {
  players = byQuadrant((quadrant) => new Player(listenerOf(quadrant, audience), started[quadrant]));
  document.addEventListener('visibilitychange', hideWithPage);
  hideWithPage();
}

/** @throws before `openPlayers` */
export function playerOf(quadrant: Quadrant): Player {
  if (!players) throw new Error('The players are not open');
  return players[quadrant];
}

export function openedPlayers(): [Quadrant, Player][] {
  return Object.entries(players ?? {}) as [Quadrant, Player][];
}

export function releasePlayers(): void {
  document.removeEventListener('visibilitychange', hideWithPage);
  for (const [, player] of openedPlayers()) player.release();
  players = null;
}

function listenerOf(quadrant: Quadrant, audience: Audience): PlayerListener {
  return {
    changed: (facts) => Object.assign(playerFacts[quadrant], facts),
    shown: () => audience.shown(quadrant),
    ended: () => audience.ended(quadrant),
    failed: () => audience.failed(quadrant),
    nextFailed: (error) => audience.nextFailed?.(quadrant, error),
  };
}

function hideWithPage(): void {
  for (const [, player] of openedPlayers()) player.setHidden(document.hidden);
}
