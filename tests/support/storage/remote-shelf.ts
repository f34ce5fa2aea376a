import type { RemoteReader } from '#server/storage/remote-file.ts';

/** Files that lie elsewhere, and what was asked of them. */
export class RemoteShelf implements RemoteReader {
  readonly files = new Map<string, { bytes: Buffer; modifiedUs: number }>();
  /** Each request, as `name start-end`. */
  readonly asked: string[] = [];
  /** Bytes that were read of the requests, and requests that were ended before their end. */
  readBytes = 0;
  ended = 0;
  /** Called before each chunk; it may wait, or throw. */
  beforeChunk: (at: number) => Promise<void> | void = () => {};
  private readonly chunkBytes: number;

  constructor(chunkBytes = 1_000) {
    this.chunkBytes = chunkBytes;
  }

  put(name: string, bytes: Buffer, modifiedUs = 1_000_000): void {
    this.files.set(name, { bytes, modifiedUs });
  }

  async head(name: string) {
    const file = this.files.get(name);
    return file === undefined ? null : { bytes: file.bytes.length, modifiedUs: file.modifiedUs };
  }

  async get(name: string, window: { start: number; end: number } | null, signal?: AbortSignal) {
    const file = this.files.get(name);
    const { start, end } = window ?? { start: 0, end: (file?.bytes.length ?? 0) - 1 };
    this.asked.push(`${name} ${start}-${end}`);
    if (file === undefined) return null;
    const last = Math.min(end, file.bytes.length - 1);
    return { bytes: this.send(file.bytes, start, last, signal), size: file.bytes.length, modifiedUs: file.modifiedUs };
  }

  private async *send(bytes: Buffer, start: number, end: number, signal?: AbortSignal) {
    let at = start;
    try {
      while (at <= end) {
        await this.beforeChunk(at);
        signal?.throwIfAborted();
        const chunk = bytes.subarray(at, Math.min(at + this.chunkBytes, end + 1));
        at += chunk.length;
        this.readBytes += chunk.length;
        yield Buffer.from(chunk);
      }
    } finally {
      if (at <= end) this.ended += 1;
    }
  }
}
