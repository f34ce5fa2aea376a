import type { Endpoint } from '#contract/endpoint.ts';
import { httpStatus } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { fetchResponse } from './fetch-answer.ts';
import { HttpError, NetworkError } from './http-error.ts';
import { withinLimit } from './time-limit.ts';

/**
 * Reads a call that answers with text.
 * @throws HttpError for a failed reply or a page in its place, NetworkError without any
 */
export async function readText({
  method,
  path,
}: Pick<Endpoint<{ reply: string }>, 'method' | 'path'>): Promise<string> {
  const limit = { seconds: limits.callTimeoutSeconds, isRepeatable: method === 'GET' };
  const read = async (signal: AbortSignal) => {
    const response = await fetchResponse({ method, address: path, signal }, null);
    return { ok: response.ok, status: response.status, text: await response.text() };
  };
  const { ok, status, text } = await withinLimit(limit, read).catch(() => {
    throw new NetworkError();
  });
  const isPage = /^\s*<(!doctype|html)/i.test(text);
  if (!ok || isPage) throw new HttpError(status, httpStatus(status));
  return text;
}
