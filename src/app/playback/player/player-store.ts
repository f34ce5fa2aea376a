import { proxy } from 'valtio/vanilla';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant } from '../by-quadrant.ts';
import { Player } from './player.ts';
import type { PlayerEvent } from './player-event.ts';
import type { PlayerFacts } from './player-facts.ts';
import { restingFacts } from './player-facts.ts';

/** The facts of the four players, as their elements reported them. */
export const playerFacts = proxy<Record<Quadrant, PlayerFacts>>(byQuadrant(() => ({ ...restingFacts })));

/** Receives what happens to the players, except for their facts. */
export type OnPlayerEvent = (quadrant: Quadrant, event: Exclude<PlayerEvent, { type: 'changed' }>) => void;

let players: Record<Quadrant, Player> | null = null;

/**
 * Makes the four players. They need no place on the page yet: a frame can be on its way before there is one.
 * @param started elements whose source is set already
 */
export function openPlayers(hear: OnPlayerEvent, started: Partial<Record<Quadrant, HTMLVideoElement>> = {}): void {
  players = byQuadrant((quadrant) => new Player((event) => handle(quadrant, event, hear), started[quadrant]));
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

function handle(quadrant: Quadrant, event: PlayerEvent, hear: OnPlayerEvent): void {
  if (event.type === 'changed') Object.assign(playerFacts[quadrant], event.facts);
  else hear(quadrant, event);
}

function hideWithPage(): void {
  for (const [, player] of openedPlayers()) player.setHidden(document.hidden);
}
