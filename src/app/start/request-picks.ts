import type { FirstPicks } from '#contract/entities/feed.ts';
import { firstVideosId } from '#contract/first-videos.ts';
import { quadrants } from '#contract/quadrants.ts';
import { joinIds } from '#contract/rules/tags/tag-filter.ts';
import { pickFirstVideos } from '#contract/start-endpoints.ts';
import type { Answer } from '../platform/http/fetch-answer.ts';
import { fetchAnswer, parseJson } from '../platform/http/fetch-answer.ts';
import type { SavedFilters } from '../state/filters/saved-filters.ts';
import { readSavedFilters } from '../state/filters/saved-filters.ts';
import type { PicksRequest } from './handover.ts';

/** The picks that the server or the worker put into the page, for everybody; else a request for them. */
export function claimPicks(): PicksRequest {
  const text = document.getElementById(firstVideosId)?.textContent;
  if (!text) return requestPicks();
  const answer = { status: 200, ok: true, json: parseJson(text) } as Answer<FirstPicks | null>;
  return { answer: Promise.resolve(answer), filters: null, abort: () => {} };
}

/** Under the filters of this device. */
export function requestPicks(): PicksRequest {
  const request = new AbortController();
  const filters = readSavedFilters();
  const outgoing = { method: 'GET', address: addressFor(filters), signal: request.signal } as const;
  return { answer: fetchAnswer<FirstPicks | null>(outgoing, null), filters, abort: () => request.abort() };
}

function addressFor(filters: SavedFilters): string {
  let query = '';
  for (const quadrant of quadrants) {
    const own = filters[quadrant];
    if (own)
      query += `&${quadrant}=${encodeURIComponent(joinIds(own.selectedTags))}&${quadrant}-mode=${own.filterMode}`;
  }
  return pickFirstVideos.path + query.replace('&', '?');
}
