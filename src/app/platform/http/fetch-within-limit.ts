import { withinLimit } from './time-limit.ts';

/**
 * One request, for what is no call of its own: it carries no token.
 * @throws Unanswered after the limit, or what `fetch` throws
 */
export function fetchWithinLimit(address: string, options: RequestInit, seconds: number): Promise<Response> {
  return withinLimit({ seconds }, (signal) => fetch(address, { ...options, signal }));
}
