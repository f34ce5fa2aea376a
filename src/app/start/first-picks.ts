import type { FirstPicks, PickReply } from '#contract/entities/feed.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import { after } from '#device/timers.ts';
import type { Answer } from '../platform/http/fetch-answer.ts';
import { refreshToken } from '../platform/http/token-store.ts';
import type { PicksRequest, StartHandover } from './handover.ts';
import { emptyHandover, pageStart } from './handover.ts';

/** The picks that the page requested, from which each quadrant's first call is answered. */
class FirstPicksSource {
  private request: PicksRequest | null = null;
  private unclaimed = new Set<Quadrant>();

  offer(request: PicksRequest | null): void {
    this.request = request;
    this.unclaimed = new Set(request ? quadrants : []);
  }

  /**
   * Returns the pick for this quadrant, once; undefined when there is none for its filter. The
   * promise resolves to null when the response has no video for it, and the quadrant makes its own
   * call. A request that is still open after the time limit of a pick is aborted, because it
   * occupies a connection.
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

/** An error response applies to all four quadrants. */
function answerFor(quadrant: Quadrant, answer: Answer<FirstPicks | null>): Answer<PickReply> | null {
  if (!answer.ok) return answer;
  if (answer.json === undefined) return { ...answer, json: undefined };
  const pick = answer.json?.[quadrant];
  return pick ? { ...answer, json: pick } : null;
}

/**
 * Takes over the state of the page; to be called once, by the engine. A signed-in viewer does not
 * get picks made for everybody.
 */
export function claimHandover(): StartHandover {
  const handover = pageStart()?.handOver() ?? emptyHandover;
  return refreshToken() === null ? handover : { ...handover, picks: null };
}
