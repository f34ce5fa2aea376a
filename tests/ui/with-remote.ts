import { afterEach, beforeEach, vi } from 'vitest';
import { layOut } from './laid-out.ts';

/**
 * For each test of a file: a page that is laid out, and keys that are heard.
 * @param start returns what stops it
 */
export function withRemote(start: () => () => void): void {
  let stop: () => void;

  beforeEach(() => {
    layOut();
    stop = start();
  });

  afterEach(() => {
    stop();
    vi.restoreAllMocks();
    document.documentElement.dataset.form = 'desktop';
  });
}
