import type { BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf } from '#contract/endpoint.ts';
import { createSignal } from '../signal.ts';
import { buildAddress } from './address.ts';
import type { Answer, Outgoing } from './fetch-answer.ts';
import type { ApiRequest } from './send.ts';
import { HttpError, send } from './send.ts';
import { refreshTokens } from './token-refresh.ts';
import { accessToken } from './token-store.ts';

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { [Key in Name]?: undefined }
  : Record<never, never> extends Value
    ? { [Key in Name]?: Value }
    : { [Key in Name]: Value };

type CallInput<E> = Part<'params', ParamsOf<E>> &
  Part<'query', QueryOf<E>> &
  Part<'body', BodyOf<E>> & {
    signal?: AbortSignal | undefined;
    /** Time limit: `callTimeoutSeconds` by default. */
    limitSeconds?: number;
    /**
     * An answer that is awaited in place of the request while nobody is signed in (`ApiRequest`).
     */
    early?: () => Promise<Answer<ReplyOf<E>> | null> | undefined;
    /** Replaces `fetchResponse`. */
    fetch?: Outgoing['fetch'];
    /** The caller handles a 401: no token refresh, and no 'show password page' event. */
    quiet?: boolean;
  };

type AnyInput = Partial<Record<'params' | 'query' | 'body', object>> &
  Pick<ApiRequest, 'signal' | 'limitSeconds' | 'early' | 'fetch'> & { quiet?: boolean };

/**
 * The 'show password page' event (§4 401), raised by a 401 that remains after one refresh.
 * `hadSession`: the call carried a token.
 */
export const accessRefused = createSignal<{ hadSession: boolean }>();

/**
 * Makes one call of the contract, at our own origin. A 204 gives null.
 * @throws HttpError for a failed reply, NetworkError without an answer from our server, the abort
 * itself when aborted
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  ...[input]: Record<never, never> extends CallInput<E> ? [input?: CallInput<E>] : [input: CallInput<E>]
): Promise<ReplyOf<E>> {
  const { params, query, body, signal, limitSeconds, early, fetch, quiet } = (input ?? {}) as AnyInput;
  const request: ApiRequest = {
    method: endpoint.method,
    address: buildAddress(endpoint.path, params, query),
    body,
    signal,
    limitSeconds,
    early,
    fetch,
  };
  const token = accessToken();
  try {
    return (await send(request, token)) as ReplyOf<E>;
  } catch (error) {
    if (quiet || !isUnauthorized(error)) throw error;
    return (await sendAgain(request, token, error)) as ReplyOf<E>;
  }
}

async function sendAgain(request: ApiRequest, staleToken: string | null, refusal: HttpError): Promise<unknown> {
  try {
    const isGateClosed = refusal.code === 'site_password_required';
    if (isGateClosed || !(await refreshTokens(staleToken))) throw refusal;
    return await send(request, accessToken());
  } catch (error) {
    if (isUnauthorized(error)) accessRefused.emit({ hadSession: staleToken !== null });
    throw error;
  }
}

function isUnauthorized(error: unknown): error is HttpError {
  return error instanceof HttpError && error.status === 401;
}
