import type { UploadRow } from './uploads-state.ts';
import { uploads } from './uploads-state.ts';

/** Shows these rows; those that are as before stay the same objects, so that only the others are drawn again. */
export function showRows(rows: readonly UploadRow[], secondsLeft: number | null): void {
  const known = new Map(uploads.rows.map((row) => [row.id, row]));
  const next = rows.map((row) => {
    const before = known.get(row.id);
    return before && JSON.stringify(before) === JSON.stringify(row) ? before : row;
  });
  const isSame = next.length === uploads.rows.length && next.every((row, at) => row === uploads.rows[at]);
  if (!isSame) uploads.rows = next;
  uploads.secondsLeft = secondsLeft;
}

export function hideUploads(): void {
  Object.assign(uploads, { rows: [], shared: [], tagIds: [], secondsLeft: null, startFailure: null });
}
