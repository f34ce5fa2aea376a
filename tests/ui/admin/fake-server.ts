import { vi } from 'vitest';

export interface FakeAnswer {
  status?: number;
  json?: unknown;
  /** A body that is no JSON. */
  text?: string;
  headers?: Record<string, string>;
}

type Answer = (body: unknown) => FakeAnswer;

/**
 * Answers by method and path, as `GET /users/admin`; a call that nothing stands for fails as an absent network does.
 * The routes can be changed between calls.
 */
export function fakeServer(routes: Record<string, Answer | undefined>): { calls: string[] } {
  const calls: string[] = [];
  vi.stubGlobal('fetch', async (address: string, { method = 'GET', body }: RequestInit) => {
    const url = new URL(address, 'http://localhost');
    calls.push(`${method} ${address}`);
    const answer = routes[`${method} ${url.pathname}`];
    if (!answer) throw new TypeError('Failed to fetch');
    const {
      status = 200,
      json,
      text,
      headers,
    } = answer(body === undefined || body === null ? undefined : JSON.parse(String(body)));
    const reply = status === 204 ? null : (text ?? JSON.stringify(json));
    return new Response(reply, { status, ...(headers && { headers }) });
  });
  return { calls };
}
