import { afterEach, vi } from 'vitest';
import { Player } from '#app/playback/player/player.ts';
import type { PlayerEvent, PlayerFacts } from '#app/playback/player/player-facts.ts';
import { restingFacts } from '#app/playback/player/player-facts.ts';
import type { FakeMedia, FrameTellingVideo } from './fake-video.ts';
import { FakeHost } from './fake-video.ts';

/** One player and what it told, with its fake elements. */
export interface PlayerUnderTest {
  readonly player: Player;
  readonly facts: PlayerFacts;
  /** What it told, in order. */
  readonly told: string[];
  readonly videos: readonly FrameTellingVideo[];
  layer(role: 'front' | 'back'): FrameTellingVideo;
}

const opened: Player[] = [];

afterEach(() => {
  for (const player of opened.splice(0)) player.release();
  vi.unstubAllGlobals();
});

/** @param first an element whose source is under way already */
export function openPlayer(first?: FrameTellingVideo): PlayerUnderTest {
  const facts = { ...restingFacts };
  const told: string[] = [];
  const hear = (event: PlayerEvent) => {
    if (event.type === 'changed') Object.assign(facts, event.facts);
    else told.push(event.type === 'next-failed' ? `next failed: ${event.error}` : event.type);
  };
  const player = new Player(hear, first as unknown as HTMLVideoElement | undefined);
  opened.push(player);
  const host = new FakeHost();
  player.attachTo(host.element);
  const { videos } = host;
  return {
    player,
    facts,
    told,
    videos,
    layer: (role) => videos.find(({ dataset }) => dataset.layer === role) as FrameTellingVideo,
  };
}

/** One that shows `/old`, playing or as a still. */
export function playerShowing(media: FakeMedia, { isPlaying = true, url = '/old' } = {}): PlayerUnderTest {
  const opened = openPlayer();
  if (isPlaying) opened.player.play();
  opened.player.prepare({ url });
  opened.layer('back').showNow();
  media.settle();
  opened.told.length = 0;
  return opened;
}
