import type { StartHandover } from './handover.ts';
import { emptyHandover, pageStart } from './handover.ts';
import { startObstacle } from './start-obstacle.ts';

/** Takes over what the page did: to be called once, by the engine. Picks that are not this viewer's are left out. */
export function claimHandover(): StartHandover {
  const handover = pageStart()?.handOver() ?? emptyHandover;
  const obstacle = startObstacle();
  return obstacle === null || obstacle === 'few-decoders' ? handover : { ...handover, picks: null };
}
