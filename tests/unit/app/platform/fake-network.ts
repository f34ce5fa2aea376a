import type { Mock } from 'vitest';
import { vi } from 'vitest';

export interface FakeReply {
  status?: number;
  json?: unknown;
  text?: string;
  /** `X-Revision`. */
  revision?: string;
  /** `Retry-After`, in seconds. */
  retryAfter?: number;
}

export interface FakeNetwork {
  /** What `fetch` was called with: address and options. */
  fetch: Mock<(address: string, options: RequestInit) => Promise<Response>>;
  /** Answers the next calls in this order, or never (`silent`); a call beyond them fails as an absent network does. */
  answer(...replies: Array<FakeReply | 'away' | 'silent'>): void;
}

/** Stands in for the network: nothing is sent. */
export function fakeNetwork(): FakeNetwork {
  const replies: Array<FakeReply | 'away' | 'silent'> = [];
  const fetch = vi.fn(async (_: string, options: RequestInit) => {
    const reply = replies.shift() ?? 'away';
    if (options.signal?.aborted) throw new DOMException('The operation was aborted.', 'AbortError');
    if (reply === 'away') throw new TypeError('Failed to fetch');
    if (reply === 'silent') return untilAborted(options.signal);
    return responseOf(reply);
  });
  vi.stubGlobal('fetch', fetch);
  return { fetch, answer: (...next) => void replies.push(...next) };
}

function untilAborted(signal?: AbortSignal | null): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('The operation was aborted.', 'AbortError')));
  });
}

function responseOf({ status = 200, json, text, revision, retryAfter }: FakeReply): Response {
  if (status === 204) return new Response(null, { status });
  return new Response(text ?? JSON.stringify(json), {
    status,
    headers: {
      ...(revision === undefined ? {} : { 'X-Revision': revision }),
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    },
  });
}
