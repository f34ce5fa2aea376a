import { expect } from '@playwright/test';

interface PollOptions {
  readonly message?: string;
  readonly timeout?: number;
  readonly intervals?: number[];
}

/** Milliseconds; Playwright's own steps grow to a second, which most journeys would wait for nothing. */
const intervals = [100];

/** `expect.poll` that asks ten times a second. */
export function poll<Value>(read: () => Value | Promise<Value>, options: PollOptions = {}) {
  return expect.poll(read, { intervals, ...options });
}
