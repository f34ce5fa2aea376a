import type { Method } from '#contract/endpoint.ts';
import { cachedAtHeader } from '#device/messages.ts';
import { keepsJsonAlive } from '../capabilities.ts';

export interface Outgoing {
  method: Method;
  address: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** The request goes on when the page is left, where the browser can do that. */
  keepalive?: boolean | undefined;
  /** Replaces `fetchResponse`. */
  fetch?: typeof fetchResponse | undefined;
}

interface AnswerHead {
  status: number;
  /** `X-Revision` (§7 Conventions); absent when none was sent. */
  revision?: string | null;
  /** Seconds after which the server wants to be asked again; absent when it did not say so. */
  retryAfterSeconds?: number;
  /** True for a stored answer in place of the server's. */
  isCached?: boolean;
}

/**
 * A response, read to its end. `json` is null for 204, and undefined when the body is not JSON: a
 * proxy's or a captive portal's page.
 */
export type Answer<Json = unknown> = AnswerHead & ({ ok: true; json: Json | undefined } | { ok: false; json: unknown });

/** @throws the errors of `fetch` */
export async function fetchAnswer<Json>(request: Outgoing, accessToken: string | null): Promise<Answer<Json>> {
  const response = await (request.fetch ?? fetchResponse)(request, accessToken);
  const { status, ok, headers } = response;
  const text = await response.text();
  return {
    status,
    ok,
    json: status === 204 ? null : parseJson(text),
    revision: headers.get('X-Revision'),
    isCached: headers.has(cachedAtHeader),
    retryAfterSeconds: Number(headers.get('Retry-After') ?? 0),
  } as Answer<Json>;
}

/** @throws the errors of `fetch` */
export function fetchResponse(
  { method, address, body, signal, headers, keepalive }: Outgoing,
  accessToken: string | null,
): Promise<Response> {
  return fetch(address, {
    method,
    headers: {
      Accept: 'application/json',
      ...headers,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(accessToken === null ? {} : { Authorization: `Bearer ${accessToken}` }),
    },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    ...(keepalive && keepsJsonAlive() ? { keepalive } : {}),
  });
}

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
