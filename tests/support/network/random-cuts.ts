import type { RandomBelow } from '#server/ids.ts';
import type { FaultyNetwork } from './faulty-network.ts';

interface Options {
  readonly cuts: number;
  /** Between two of them, at most. */
  readonly bytes: number;
  /** Of a seed (`seededRandom`), so that a failure can be had again. */
  readonly random: RandomBelow;
}

/**
 * Cuts connections on their way to the server, one after another, after a random number of bytes each.
 * @returns resolves when all cuts are made
 */
export async function cutAtRandom({ toServer }: FaultyNetwork, { cuts, bytes, random }: Options): Promise<void> {
  for (let made = 0; made < cuts; made += 1)
    await toServer.cutAfter(random(bytes), { kind: random(2) === 0 ? 'reset' : 'end' });
}
