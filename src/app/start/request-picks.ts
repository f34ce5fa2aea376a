import type { FirstPicks } from '#contract/entities/feed.ts';
import { firstVideosId } from '#contract/first-videos.ts';
import { pickFirstVideos } from '#contract/start-endpoints.ts';
import type { Answer } from '../platform/http/fetch-answer.ts';
import { fetchAnswer, parseJson } from '../platform/http/fetch-answer.ts';
import type { PicksRequest } from './handover.ts';

/** The picks that the server or the worker put into the page, else a request for them. */
export function requestPicks(): PicksRequest {
  const request = new AbortController();
  const text = document.getElementById(firstVideosId)?.textContent;
  const answer = text
    ? Promise.resolve({ status: 200, ok: true, json: parseJson(text) } as Answer<FirstPicks | null>)
    : fetchAnswer<FirstPicks | null>({ method: 'GET', address: pickFirstVideos.path, signal: request.signal }, null);
  return { answer, abort: () => request.abort() };
}
