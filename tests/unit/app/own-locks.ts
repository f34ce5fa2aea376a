import { fakeLocks } from './transfer/fake-locks.ts';

// Node's own locks are those of all threads: files that run side by side would wait for each other.
Object.defineProperty(navigator, 'locks', { configurable: true, value: fakeLocks() });
