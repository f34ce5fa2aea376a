import { vi } from 'vitest';
import type { FakeReply } from '../../platform/fake-network.ts';

export interface Asked {
  line: string;
  body: unknown;
  key: string | null;
  token: string | null;
}

type Reply = FakeReply | 'away' | 'silent';

/** Answers by method and path; records what was asked, with its key and its token. */
export class FakeApi {
  readonly asked: Asked[] = [];
  readonly replies: Record<string, (asked: Asked) => Reply> = {};

  constructor() {
    vi.stubGlobal('fetch', (address: string, options: RequestInit) => this.answer(address, options));
  }

  /** The writes, as `PUT /users/blocklist`. */
  get writes(): Asked[] {
    return this.asked.filter(({ line }) => !line.startsWith('GET ') && !line.includes('/auth/'));
  }

  private async answer(address: string, { method = 'GET', headers, body, signal }: RequestInit): Promise<Response> {
    const sent = new Headers(headers);
    const asked = {
      line: `${method} ${address}`,
      body: typeof body === 'string' ? JSON.parse(body) : null,
      key: sent.get('Idempotency-Key'),
      token: sent.get('Authorization')?.replace('Bearer ', '') ?? null,
    };
    this.asked.push(asked);
    const reply = this.replies[`${method} ${address.split('?')[0]}`]?.(asked) ?? 'away';
    if (reply === 'away') throw new TypeError('Failed to fetch');
    if (reply === 'silent') return untilAborted(signal);
    const { status = 200, json = {}, retryAfter } = reply;
    return new Response(status === 204 ? null : JSON.stringify(json), {
      status,
      headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
    });
  }
}

function untilAborted(signal?: AbortSignal | null): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('The operation was aborted.', 'AbortError')));
  });
}

/** An access token that names its owner. */
export function tokenOf(userId: string, number = 1): string {
  return ['e30', btoa(JSON.stringify({ sub: userId, number })).replace(/=+$/, ''), 'signature'].join('.');
}
