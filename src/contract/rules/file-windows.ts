import { limits } from '#contract/limits.ts';

/** A run of bytes, both ends included, as a `Range` header counts them. */
export interface FileWindow {
  start: number;
  end: number;
}

/** The `piece` of a stream address: how many bytes one answer may hold at most. */
export function checkPieceBytes(bytes: number): string | null {
  if (!Number.isInteger(bytes)) return 'A piece is a whole number of bytes';
  if (bytes < limits.pieceMinBytes || bytes > limits.pieceMaxBytes)
    return `A piece holds ${limits.pieceMinBytes} to ${limits.pieceMaxBytes} bytes`;
  return null;
}

/** Of a piece: the header and the first picture, which four videos want at once. */
const firstShare = 1 / 4;

/** At most `pieceBytes` from the start of what was asked for; a quarter of them within the first piece of the file. */
export function shortenWindow(asked: FileWindow, pieceBytes: number): FileWindow {
  const most = asked.start < pieceBytes ? Math.ceil(pieceBytes * firstShare) : pieceBytes;
  return { start: asked.start, end: Math.min(asked.end, asked.start + most - 1) };
}

/** How many pieces a file of `fileBytes` is kept in. */
export function countPieces(fileBytes: number, pieceBytes: number): number {
  return Math.ceil(fileBytes / pieceBytes);
}

/** The window of one piece, counted from 0; null past the end of the file. */
export function pieceWindow(piece: number, fileBytes: number, pieceBytes: number): FileWindow | null {
  const start = piece * pieceBytes;
  if (piece < 0 || start >= fileBytes) return null;
  return { start, end: Math.min(start + pieceBytes, fileBytes) - 1 };
}

/** The pieces that hold any byte of the window, in order. */
export function piecesWithin(window: FileWindow, pieceBytes: number): number[] {
  const first = Math.floor(window.start / pieceBytes);
  const last = Math.floor(window.end / pieceBytes);
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
}

/** The windows still missing, neighbours joined, when the pieces in `kept` are already on the device. */
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
