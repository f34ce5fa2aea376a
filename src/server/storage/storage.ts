/** Where files lie that the server itself stores, by names with slashes: a disk, or something that behaves like one. */
export interface Storage {
  /** Stores a whole file, of which nobody sees a part; what had the name before is replaced. */
  put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** A file that grows at its end; an empty one when there is none. */
  openGrowing(name: string): Promise<GrowingFile>;
  /** Cuts off what is beyond a size; nothing happens to a file that is shorter or not there. */
  truncate(name: string, size: number): Promise<void>;
  /** Null when it is not there. */
  size(name: string): Promise<number | null>;
  /** In pieces, none of them large. @param end the first byte that is not read */
  readRange(name: string, start: number, end: number): AsyncIterable<Uint8Array>;
  /** The new name means the same bytes, or the old one still does; both survive a power cut. */
  rename(from: string, to: string): Promise<void>;
  /** Takes over a whole file of this machine, which is gone from its place then. @param file absolute */
  adopt(file: string, name: string): Promise<void>;
  /** What is gone stays gone. */
  remove(name: string): Promise<void>;
  /** Names of the files directly below a folder. */
  list(folder: string): Promise<string[]>;
  /** Where the file can be read by programs and threads of this machine. */
  localFile(name: string): string;
}

/**
 * Only what was synced is there after a power cut. After a call that failed nothing but `close` may be called: what the
 * system still holds of such a file may be lost without a further error.
 */
export interface GrowingFile {
  readonly size: number;
  /** Adds bytes at the end. */
  append(chunks: readonly Uint8Array[]): Promise<void>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}
