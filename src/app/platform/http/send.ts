import { limits } from '#contract/limits.ts';
import { startFailures } from '#contract/start.ts';
import { after } from '#device/timers.ts';
import { createSignal } from '../signal.ts';
import type { Answer, Outgoing } from './fetch-answer.ts';
import { fetchAnswer } from './fetch-answer.ts';
import { Unanswered, withinLimit } from './time-limit.ts';

/** The longest `Retry-After` of an overloaded server. */
const longestRetrySeconds = 5;
/** How often a request is sent again that an overloaded server refuses. */
const repetitionsMax = 4;

export interface ApiRequest extends Outgoing {
  /** The time limit, `callTimeoutSeconds` by default. */
  limitSeconds?: number | undefined;
  /**
   * For a GET without a token: the answer of a request that was sent earlier, awaited in place of
   * sending. When it resolves to null, the request is sent.
   */
  early?: (() => Promise<Answer | null> | undefined) | undefined;
}

/**
 * The outcome of a request: `answered` by our server's JSON, `away` when unreachable, or `silent`
 * until the time limit or until a stored answer replaced it. A failed reply that is not JSON emits
 * nothing.
 */
export const reached = createSignal<'answered' | 'away' | 'silent'>();

/**
 * `X-Revision` of an answer: the server's change counters (§7 Conventions). `isSignedIn`: the
 * request carried a token.
 */
export const revisionReceived = createSignal<{ revision: string; isSignedIn: boolean }>();

/**
 * Sends one request. Gives the JSON of the reply, or null for 204.
 * @throws HttpError for a failed reply, NetworkError without an answer from our server, the abort
 * itself when aborted
 */
export async function send(request: ApiRequest, accessToken: string | null): Promise<unknown> {
  let answer = await exchange(request, accessToken);
  for (let repetition = 0; isOverloaded(answer) && repetition < repetitionsMax; repetition += 1)
    answer = await exchangeAgain(answer, request, accessToken);
  const { status, ok, json, revision, isCached } = answer;
  if (json !== undefined) reached.emit(isCached ? 'silent' : 'answered');
  if (revision) revisionReceived.emit({ revision, isSignedIn: accessToken !== null });
  if (!ok) throw errorOf(status, json);
  if (json === undefined) throw notReached('away');
  return json;
}

/** The server refused the request because it has too much to do, and has done nothing of it. */
function isOverloaded({ status, json }: Answer): boolean {
  return status === 503 && codeOf(json) === 'overloaded';
}

/** Waits for as long as the server asks for; the screen keeps what it shows meanwhile. */
async function exchangeAgain(
  { retryAfterSeconds = 1 }: Answer,
  request: ApiRequest,
  accessToken: string | null,
): Promise<Answer> {
  await pause(Math.min(Math.max(1, retryAfterSeconds), longestRetrySeconds) * 1_000, request.signal);
  return exchange({ ...request, early: undefined }, accessToken);
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = after(ms, resolve);
    signal?.addEventListener('abort', () => {
      stop();
      reject(signal.reason ?? new DOMException('Aborted', 'AbortError'));
    });
  });
}

async function exchange(request: ApiRequest, accessToken: string | null): Promise<Answer> {
  const { signal, limitSeconds: seconds = limits.callTimeoutSeconds } = request;
  const isRepeatable = request.method === 'GET';
  try {
    return await withinLimit({ seconds, signal, isRepeatable }, (own) => {
      const sendNow = () => fetchAnswer({ ...request, signal: own }, accessToken);
      const early = isRepeatable && accessToken === null ? request.early?.() : undefined;
      return early ? early.then((answer) => answer ?? sendNow()) : sendNow();
    });
  } catch (error) {
    throw signal?.aborted ? error : notReached(error instanceof Unanswered ? 'silent' : 'away');
  }
}

function notReached(how: 'away' | 'silent'): NetworkError {
  reached.emit(how);
  return new NetworkError();
}

/**
 * The error of a failed reply: its own message, else its error code, else 'HTTP error! status: N'
 * (§7).
 */
function errorOf(status: number, json: unknown): HttpError {
  const reply = typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  const code = textOf(reply.error);
  return new HttpError(status, textOf(reply.message) ?? code ?? startFailures.httpStatus(status), code, reply.details);
}

function codeOf(json: unknown): string | undefined {
  return typeof json === 'object' && json !== null && 'error' in json ? textOf(json.error) : undefined;
}

function textOf(field: unknown): string | undefined {
  return typeof field === 'string' && field !== '' ? field : undefined;
}

/** A failed reply. `message` can be shown to people. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  /** The reply's `error` field. */
  readonly code: string | undefined;
  readonly details: unknown;

  constructor(status: number, message: string, code?: string, details?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/**
 * Our server did not answer: it or the network is down, or a captive portal answered in its place.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor() {
    super('Waiting for network');
  }
}

/**
 * Hands JSON to the browser, which sends it even after the page is closed. False when 64 KiB are
 * queued already, or the browser has no beacons or accepts no JSON in them (Chromium 59 to 80
 * throw).
 */
export function sendBeacon(address: string, body: unknown): boolean {
  try {
    return navigator.sendBeacon(address, new Blob([JSON.stringify(body)], { type: 'application/json' }));
  } catch {
    return false;
  }
}
