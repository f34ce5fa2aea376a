import type { Method } from '#contract/endpoint.ts';
import { httpStatus } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { takeAnswerAhead } from '../asked-ahead.ts';
import { createSignal } from '../signal.ts';
import type { Answer } from './answer.ts';
import { HttpError, NetworkError } from './http-error.ts';
import { Unanswered, withinLimit } from './time-limit.ts';

export interface Outgoing {
  method: Method;
  address: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** `callTimeoutSeconds` unless said. */
  limitSeconds?: number | undefined;
}

/**
 * Whether a request met our server: `answered` in our JSON, `away`, or `silent` for as long as it was waited for. A reply of something in between says
 * nothing.
 */
export const reached = createSignal<'answered' | 'away' | 'silent'>();

/** What the server counts of its changes, as it came beside an answer, and whether the question carried a token (§7 Conventions). */
export const counted = createSignal<{ revision: string; isSignedIn: boolean }>();

/**
 * One request, one reply: its JSON, or null for 204.
 * @throws HttpError for a failed reply, NetworkError when no answer of ours came, the abort itself when aborted
 */
export async function send(request: Outgoing, accessToken: string | null): Promise<unknown> {
  const { status, ok, text, revision } = await exchange(request, accessToken);
  const json = status === 204 ? null : jsonOf(text);
  if (json !== undefined) reached.emit('answered');
  if (revision) counted.emit({ revision, isSignedIn: accessToken !== null });
  if (!ok) throw errorOf(status, json);
  if (json === undefined) throw notReached('away');
  return json;
}

async function exchange(request: Outgoing, accessToken: string | null): Promise<Answer> {
  const { method, address, signal, limitSeconds: seconds = limits.callTimeoutSeconds } = request;
  const isRepeatable = method === 'GET';
  try {
    return await withinLimit({ seconds, signal, isRepeatable }, (own) => {
      const ahead = isRepeatable && accessToken === null ? takeAnswerAhead(address) : undefined;
      return ahead ?? fetchAnswer({ ...request, signal: own }, accessToken);
    });
  } catch (error) {
    throw signal?.aborted ? error : notReached(error instanceof Unanswered ? 'silent' : 'away');
  }
}

/** @throws what `fetch` throws */
export async function fetchAnswer({ method, address, body, signal }: Outgoing, accessToken: string | null): Promise<Answer> {
  const response = await fetch(address, {
    method,
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(accessToken === null ? {} : { Authorization: `Bearer ${accessToken}` }),
    },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  return { status: response.status, ok: response.ok, text: await response.text(), revision: response.headers.get('X-Revision') };
}

function notReached(how: 'away' | 'silent'): NetworkError {
  reached.emit(how);
  return new NetworkError();
}

/** Undefined for what is not JSON: a proxy's or a captive portal's page. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** §7: the reply's own message, else its error code, else 'HTTP error! status: N'. */
function errorOf(status: number, json: unknown): HttpError {
  const reply = typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  const code = textOf(reply.error);
  return new HttpError(status, textOf(reply.message) ?? code ?? httpStatus(status), code, reply.details);
}

function textOf(field: unknown): string | undefined {
  return typeof field === 'string' && field !== '' ? field : undefined;
}
