import { flushCompileCache } from 'node:module';
import type { Repetition } from './repeat.ts';
import { repeat } from './repeat.ts';

/** `malloc_trim(3)`: pages that are free inside the C library's heaps go back to the system. */
export type MallocTrim = () => Promise<void>;

const trimEveryMs = 30_000;

/**
 * Gives back what this process does not need any more but the C library would keep for good: code that was loaded, and
 * what scans, posters and uploads have left behind between what is in use.
 */
export class FreeMemory {
  private readonly trim: MallocTrim | null;
  private trimming: Repetition | null = null;

  constructor(trim: MallocTrim | null) {
    this.trim = trim;
  }

  start(): void {
    // 10 MB: the engine holds on to what it has read or is going to write until then. Writing all of it takes some
    // hundred milliseconds, once for each version of the product.
    flushCompileCache();
    const { trim } = this;
    if (trim !== null) this.trimming ??= repeat(trim, trimEveryMs);
  }

  stop(): void {
    this.trimming?.stop();
  }
}

/**
 * In the thread pool: it takes some milliseconds.
 * @returns null where the C library is another one than glibc, or cannot be called
 */
export async function openMallocTrim(): Promise<MallocTrim | null> {
  if (process.platform !== 'linux') return null;
  try {
    const { default: koffi } = await import('koffi');
    const trim = koffi.load(null).func('int malloc_trim(size_t pad)');
    return () =>
      new Promise((resolve, reject) => {
        trim.async(0, (error: unknown) => (error === null ? resolve() : reject(error)));
      });
  } catch {
    return null;
  }
}
