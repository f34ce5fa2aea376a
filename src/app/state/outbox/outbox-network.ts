import { buildAddress } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import type { Outgoing } from '#app/platform/http/fetch-answer.ts';
import { fetchResponse } from '#app/platform/http/fetch-answer.ts';
import { HttpError, NetworkError } from '#app/platform/http/http-error.ts';
import { send } from '#app/platform/http/send.ts';
import { ownerOf } from '#app/platform/tokens/token-age.ts';
import { refreshTokens } from '#app/platform/tokens/token-refresh.ts';
import { accessToken, refreshToken } from '#app/platform/tokens/token-store.ts';
import { listTags } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { nameKey } from '#contract/rules/text.ts';
import { outboxCalls } from '#device/outbox/outbox-calls.ts';
import type { OutboxEntry } from '#device/outbox/outbox-entry.ts';
import type { ReplayNetwork } from '#device/outbox/replay.ts';
import type { ReplayAnswer } from '#device/outbox/verdict.ts';
import { session } from '../session.ts';

type Request = Pick<OutboxEntry, 'userId' | 'call' | 'params' | 'body' | 'idempotencyKey'>;

/** Pages of a search in which a tag of that very name is looked for. */
const maxTagPages = 10;

/** Sends with the key of a change, and never with the token of another: another tab may have signed somebody else in. */
export function fetchFor({ userId, idempotencyKey }: Pick<Request, 'userId' | 'idempotencyKey'>) {
  return (outgoing: Outgoing, token: string | null): Promise<Response> => {
    if (token !== null && !isTokenOf(userId, token)) throw new NetworkError();
    return fetchResponse({ ...outgoing, headers: { 'Idempotency-Key': idempotencyKey } }, token);
  };
}

/** The replay's network: a 401 is answered by one quiet refresh of the tokens. */
export const outboxNetwork: ReplayNetwork = { send: sendEntry, findTag };

async function sendEntry(entry: Request): Promise<ReplayAnswer> {
  const token = accessToken();
  const answer = await sendWith(token, entry);
  if (answer.kind !== 'answered' || answer.status !== 401) return answer;
  const isRefreshed = await refreshTokens(token, true).catch(() => null);
  if (isRefreshed === null) return { kind: 'unanswered' };
  return isRefreshed ? sendWith(accessToken(), entry) : { kind: 'not-signed-in' };
}

async function sendWith(token: string | null, entry: Request): Promise<ReplayAnswer> {
  if (token === null) return refreshToken() === null ? { kind: 'not-signed-in' } : refusal(401, '', null);
  if (!isTokenOf(entry.userId, token)) return { kind: 'not-signed-in' };
  const { method, path } = outboxCalls[entry.call];
  let retryAfterMs: number | null = null;
  const fetch = async (outgoing: Outgoing, own: string | null) => {
    const response = await fetchFor(entry)(outgoing, own);
    retryAfterMs = readRetryAfter(response);
    return response;
  };
  try {
    const body = await send(
      { method, address: buildAddress(path, entry.params ?? {}), body: entry.body, fetch },
      token,
    );
    return { ...refusal(200, '', null), body };
  } catch (error) {
    return error instanceof HttpError ? refusal(error.status, error.message, retryAfterMs) : { kind: 'unanswered' };
  }
}

async function findTag({ body }: Pick<OutboxEntry, 'body'>): Promise<string | null> {
  const { name } = body as { name: string };
  const wanted = nameKey(name);
  const isNamed = (one: string) => nameKey(one) === wanted;
  for (let page = 1, pages = 1; page <= Math.min(pages, maxTagPages); page += 1) {
    const query = { search: name.trim(), limit: limits.tagListLimit, page };
    const { tags, total_pages } = await call(listTags, { query, quiet: true });
    const found = tags.find((tag) => isNamed(tag.name)) ?? tags.find(({ aliases }) => aliases.some(isNamed));
    if (found) return found.id;
    pages = total_pages;
  }
  return null;
}

/** The server decides about a token that cannot be parsed. */
function isTokenOf(userId: string, token: string): boolean {
  return (ownerOf(token) ?? session.user?.id) === userId;
}

/** Seconds, RFC 9110; our server sends no dates. */
function readRetryAfter({ headers }: Response): number | null {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return seconds >= 0 ? Math.min(seconds, 3_600) * 1000 : null;
}

function refusal(status: number, sentence: string, retryAfterMs: number | null) {
  return { kind: 'answered', status, sentence, retryAfterMs, body: null } as const;
}
