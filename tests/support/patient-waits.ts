import { afterAll, vi } from 'vitest';
import { endFile } from './temporary-folder.ts';

/** Milliseconds. Far more than any wait needs, also where others keep the machine busy; Vitest's own is 1 s. */
const patience = 120_000;

const { waitFor, waitUntil } = vi;

/** A number stands for the limit alone. */
const patiently = (options: number | { timeout?: number; interval?: number } = {}) =>
  typeof options === 'number' ? options : { timeout: patience, ...options };

/** What a test waits for comes, or the test has failed: how long it took is nothing that a test says. */
vi.waitFor = (callback, options) => waitFor(callback, patiently(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patiently(options));

afterAll(endFile);
