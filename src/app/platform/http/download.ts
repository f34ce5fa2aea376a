import type { Endpoint, QueryOf } from '#contract/endpoint.ts';
import type { exportTags } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { call } from './call.ts';
import type { Outgoing } from './fetch-answer.ts';
import { fetchResponse } from './fetch-answer.ts';
import { NetworkError } from './http-error.ts';
import { withinLimit } from './time-limit.ts';

interface DownloadInput<Query> {
  query: Query;
  signal: AbortSignal;
  /** Bytes that have come so far. */
  onProgress: (bytes: number) => void;
}

/**
 * Makes a call that answers with a file. Its bytes may take as long as they come: silence for `callTimeoutSeconds` ends
 * it.
 * @throws as `call`; NetworkError for a file that was cut off
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
    // `call` reads an answer to its end, within its time limit: it is given the head alone.
    return new Response(null, { status: 204, headers: response.headers });
  };
  await call(endpoint as unknown as typeof exportTags, { query, signal, fetch });
  if (!file.response?.body) throw new NetworkError();
  const pieces = await readPieces(file.response.body.getReader(), signal, onProgress);
  return new Blob(pieces, { type: file.response.headers.get('Content-Type') ?? '' });
}

/** Not a refusal, nor the page of a captive portal. */
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
    // It has failed already, or was given up: nothing depends on its end.
    void reader.cancel().catch(() => {});
    throw signal.aborted ? error : new NetworkError();
  }
}
