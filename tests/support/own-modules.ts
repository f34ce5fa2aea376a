import { vi } from 'vitest';

// The files of tests share a worker: each of them begins as if it were the first.
vi.resetModules();
vi.unstubAllGlobals();
vi.restoreAllMocks();
vi.useRealTimers();
