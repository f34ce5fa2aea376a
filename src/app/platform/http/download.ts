import type { Endpoint, QueryOf } from '#contract/endpoint.ts';
import type { exportTags } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { startFailures } from '#contract/start.ts';
import { after } from '#device/timers.ts';
import { call } from './call.ts';
import type { Outgoing } from './fetch-answer.ts';
import { fetchResponse } from './fetch-answer.ts';
import { HttpError, NetworkError } from './send.ts';
import { withinLimit } from './time-limit.ts';

interface DownloadInput<Query> {
  query: Query;
  signal: AbortSignal;
  /** Called with the number of bytes received so far. */
  onProgress: (bytes: number) => void;
}

/**
 * Makes a call that answers with a file. The download may take any time, but ends after
 * `callTimeoutSeconds` without new bytes.
 * @throws as `call`; NetworkError for a truncated file
 */
export async function download<E extends Endpoint<{ query: object; reply: string }>>(
  endpoint: E,
  { query, signal, onProgress }: DownloadInput<QueryOf<E>>,
): Promise<Blob> {
  const file: { response?: Response } = {};
  const fetch = async (request: Outgoing, accessToken: string | null) => {
    const response = await fetchResponse({ ...request, headers: { Accept: '*/*' } }, accessToken);
    if (!isFile(response)) return response;
    file.response = response;
    // `call` reads an answer to its end, within its time limit: it receives only the head.
    return new Response(null, { status: 204, headers: response.headers });
  };
  await call(endpoint as unknown as typeof exportTags, { query, signal, fetch });
  if (!file.response?.body) throw new NetworkError();
  const pieces = await readPieces(file.response.body.getReader(), signal, onProgress);
  return new Blob(pieces, { type: file.response.headers.get('Content-Type') ?? '' });
}

/** Whether a response is the file, and neither a refusal nor the page of a captive portal. */
function isFile({ ok, headers }: Response): boolean {
  return ok && !/^text\/html/i.test(headers.get('Content-Type') ?? '');
}

async function readPieces(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await withinLimit({ seconds: limits.callTimeoutSeconds, signal }, () => reader.read());
      if (done) return pieces;
      pieces.push(value);
      bytes += value.byteLength;
      onProgress(bytes);
    }
  } catch (error) {
    // The download has failed or was aborted: nothing depends on the end of this call.
    void reader.cancel().catch(() => {});
    throw signal.aborted ? error : new NetworkError();
  }
}

/**
 * Makes a call that answers with text.
 * @throws HttpError for a failed reply or an HTML page in its place, NetworkError without any reply
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
  if (!ok || isPage) throw new HttpError(status, startFailures.httpStatus(status));
  return text;
}

/** Some engines read the URL only after the click handler has returned. */
const addressLastsMs = 60_000;

/** Saves a file as a download of the browser. */
export function saveFile(file: Blob, filename: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: filename });
  link.click();
  after(addressLastsMs, () => URL.revokeObjectURL(url));
}
