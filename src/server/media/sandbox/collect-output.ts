import type { Readable } from 'node:stream';

export interface OutputBounds {
  /** Bytes that are kept. */
  kept: number;
  /** Bytes beyond which the program is not listened to any more. */
  max: number;
  onTooMuch: () => void;
}

/** What a stream begins with. */
export function collectStart(stream: Readable | null, { kept, max, onTooMuch }: OutputBounds): Buffer[] {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (bytes < kept) chunks.push(chunk.subarray(0, kept - bytes));
    bytes += chunk.length;
    if (bytes > max) onTooMuch();
  });
  stream?.on('error', () => {});
  return chunks;
}

/** What a stream begins and ends with, half of `kept` each: complaints about a file come first, and reasons last. */
export function collectEnds(stream: Readable | null, { kept, max, onTooMuch }: OutputBounds): () => string {
  const start = collectStart(stream, { kept: kept / 2, max, onTooMuch });
  let end = Buffer.alloc(0);
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    const late = chunk.subarray(Math.min(chunk.length, Math.max(0, kept / 2 - bytes)));
    bytes += chunk.length;
    if (late.length > 0) end = Buffer.concat([end, late]).subarray(-kept / 2);
  });
  return () => Buffer.concat([...start, end]).toString('utf8');
}

/** Hands a stream on as it comes. */
export function passOn(stream: Readable | null, max: number, onOutput: (chunk: Buffer) => void, onTooMuch: () => void) {
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > max) onTooMuch();
    else onOutput(chunk);
  });
  stream?.on('error', () => {});
}
