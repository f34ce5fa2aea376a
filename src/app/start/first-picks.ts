import type { FirstPicks, PickReply } from '#contract/entities/feed.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import type { Answer } from '../platform/http/fetch-answer.ts';
import { refreshToken } from '../platform/http/token-store.ts';
import { after } from '../platform/timers.ts';
import type { PicksRequest, StartHandover } from './handover.ts';
import { emptyHandover, pageStart } from './handover.ts';

/** The page's draw, from which each quadrant's first request is answered. */
class FirstPicksSource {
  private request: PicksRequest | null = null;
  private unclaimed = new Set<Quadrant>();

  offer(request: PicksRequest | null): void {
    this.request = request;
    this.unclaimed = new Set(request ? quadrants : []);
  }

  /**
   * The pick for this quadrant, once; undefined without one under its filter. Null in the promise: the draw holds none,
   * and the quadrant asks by itself. A draw that is still open after the limit of a pick is aborted, because it would
   * hold a connection.
   */
  claim(quadrant: Quadrant, filter: TagFilter): Promise<Answer<PickReply> | null> | undefined {
    const { request } = this;
    if (!request || !this.unclaimed.delete(quadrant) || !isDrawnUnder(filter, request, quadrant)) return undefined;
    after(limits.pickTimeoutSeconds * 1000, request.abort);
    return request.answer.then((answer) => answerFor(quadrant, answer));
  }
}

export const firstPicks = new FirstPicksSource();

function isDrawnUnder({ tagIds, mode }: TagFilter, { filters }: PicksRequest, quadrant: Quadrant): boolean {
  const own = filters?.[quadrant];
  return own ? own.filterMode === mode && joinIds(own.selectedTags) === joinIds(tagIds) : tagIds.length === 0;
}

/** A refusal of all four is the refusal of each. */
function answerFor(quadrant: Quadrant, answer: Answer<FirstPicks | null>): Answer<PickReply> | null {
  if (!answer.ok) return answer;
  if (answer.json === undefined) return { ...answer, json: undefined };
  const pick = answer.json?.[quadrant];
  return pick ? { ...answer, json: pick } : null;
}

/** Takes over what the page did: to be called once, by the engine. Who is signed in is not given what others are. */
export function claimHandover(): StartHandover {
  const handover = pageStart()?.handOver() ?? emptyHandover;
  return refreshToken() === null ? handover : { ...handover, picks: null };
}
