import { flushCompileCache } from 'node:module';
import type { Repetition } from './repeat.ts';
import { repeat } from './repeat.ts';

/** `malloc_trim(3)`: returns free pages of the C library's heaps to the system. */
type MallocTrim = () => Promise<void>;

const trimEveryMs = 30_000;

/**
 * Returns memory to the system that the process has freed but that the C library keeps: loaded
 * code, and the gaps that scans, posters and uploads leave in its heaps.
 */
export class FreeMemory {
  private readonly trim: MallocTrim | null;
  private trimming: Repetition | null = null;

  constructor(trim: MallocTrim | null) {
    this.trim = trim;
  }

  start(): void {
    // Node holds about 10 MB of compiled code in memory until the cache is written. Writing takes
    // some hundred milliseconds, once per version of the product.
    flushCompileCache();
    const { trim } = this;
    if (trim !== null) this.trimming ??= repeat(trim, trimEveryMs);
  }

  stop(): void {
    this.trimming?.stop();
  }
}

/** `M_MMAP_THRESHOLD` of `mallopt(3)`. */
const mmapThreshold = -3;
/** Blocks of this size and more are mapped each for itself, and go back to the system when they are freed. */
const mappedFromBytes = 1024 * 1024;

/**
 * Keeps large blocks out of the heaps of the C library: by itself it raises the size of what it maps
 * to that of the largest block that was freed, so that parts of uploads would stay in its heaps.
 * @returns `malloc_trim`, run in the thread pool, since it takes some milliseconds; null if the C
 * library is not glibc, or cannot be called
 */
export async function tuneMalloc(): Promise<MallocTrim | null> {
  if (process.platform !== 'linux') return null;
  try {
    const { default: koffi } = await import('koffi');
    const library = koffi.load(null);
    const trim = library.func('int malloc_trim(size_t pad)');
    library.func('int mallopt(int parameter, int value)')(mmapThreshold, mappedFromBytes);
    return () =>
      new Promise((resolve, reject) => {
        trim.async(0, (error: unknown) => (error === null ? resolve() : reject(error)));
      });
  } catch {
    return null;
  }
}
