import { refreshToken } from '../platform/tokens/token-store.ts';
import type { StartHandover } from './handover.ts';
import { emptyHandover, pageStart } from './handover.ts';

/** Takes over what the page did: to be called once, by the engine. Who is signed in is not given what others are. */
export function claimHandover(): StartHandover {
  const handover = pageStart()?.handOver() ?? emptyHandover;
  return refreshToken() === null ? handover : { ...handover, picks: null };
}
