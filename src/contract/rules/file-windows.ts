import { limits } from '#contract/limits.ts';

/** A byte range, both ends included, as in a `Range` header. */
export interface FileWindow {
  start: number;
  end: number;
}

/** Checks the `piece` of a stream URL: the most bytes of one answer. */
export function checkPieceBytes(bytes: number): string | null {
  if (!Number.isInteger(bytes)) return 'A piece is a whole number of bytes';
  if (bytes < limits.pieceMinBytes || bytes > limits.pieceMaxBytes)
    return `A piece holds ${limits.pieceMinBytes} to ${limits.pieceMaxBytes} bytes`;
  return null;
}

/** At most `pieceBytes` from the requested start. */
export function shortenWindow(asked: FileWindow, pieceBytes: number): FileWindow {
  return { start: asked.start, end: Math.min(asked.end, asked.start + pieceBytes - 1) };
}

/** The number of pieces in which a file of `fileBytes` is stored. */
export function countPieces(fileBytes: number, pieceBytes: number): number {
  return Math.ceil(fileBytes / pieceBytes);
}

/** The window of one piece, counted from 0; null past the end of the file. */
export function pieceWindow(piece: number, fileBytes: number, pieceBytes: number): FileWindow | null {
  const start = piece * pieceBytes;
  if (piece < 0 || start >= fileBytes) return null;
  return { start, end: Math.min(start + pieceBytes, fileBytes) - 1 };
}

/** The pieces that overlap the window, in order. */
export function piecesWithin(window: FileWindow, pieceBytes: number): number[] {
  const first = Math.floor(window.start / pieceBytes);
  const last = Math.floor(window.end / pieceBytes);
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
}

/** The windows that are not in the stored pieces `kept`, with adjacent ones joined. */
export function missingWindows(kept: ReadonlySet<number>, fileBytes: number, pieceBytes: number): FileWindow[] {
  const windows: FileWindow[] = [];
  for (let piece = 0; piece < countPieces(fileBytes, pieceBytes); piece += 1) {
    const window = kept.has(piece) ? null : pieceWindow(piece, fileBytes, pieceBytes);
    if (window === null) continue;
    const before = windows[windows.length - 1];
    if (before?.end === window.start - 1) before.end = window.end;
    else windows.push(window);
  }
  return windows;
}
