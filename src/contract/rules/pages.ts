import { limits } from '#contract/limits.ts';

/** A page number, or the gap between two of them. */
type PageMark = number | 'ellipsis';

/** An empty list still has its first page. */
export function lastPageOf(total: number, limit: number): number {
  return Math.max(1, Math.ceil(total / limit));
}

/** Page numbers are clamped to 1 .. last (§5 Page jump). */
export function clampPage(page: number, lastPage: number): number {
  return Math.min(Math.max(1, page), Math.max(1, lastPage));
}

export function clampPageNumber(page: number): number {
  return clampPage(page, limits.pageNumberMax);
}

export function clampPageLimit(limit: number): number {
  return Math.min(Math.max(1, limit), limits.pageLimitMax);
}

/** The page number that was typed, or null: the input is then cleared (§5 Page jump). */
export function readPageJump(text: string, lastPage: number): number | null {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return null;
  const page = Number(trimmed);
  return page >= 1 && page <= lastPage ? page : null;
}

/**
 * The page marks to draw: all numbers up to 7 pages, else the first, the last and the current one
 * ±2, with an ellipsis for each gap (§2 Video Tagging).
 */
export function pageMarks(current: number, lastPage: number): PageMark[] {
  if (lastPage <= limits.condensedAbovePages) return run(1, lastPage);
  const page = clampPage(current, lastPage);
  const from = Math.max(1, page - limits.pagesAroundCurrent);
  const to = Math.min(lastPage, page + limits.pagesAroundCurrent);
  return [...leadIn(from), ...run(from, to), ...leadOut(to, lastPage)];
}

/** 'Quick jump' by ten pages is shown above 20 pages only (§2 Video Tagging). */
export function hasQuickJump(lastPage: number): boolean {
  return lastPage > limits.quickJumpAbovePages;
}

function leadIn(from: number): PageMark[] {
  if (from === 1) return [];
  return from === 2 ? [1] : [1, 'ellipsis'];
}

function leadOut(to: number, lastPage: number): PageMark[] {
  if (to === lastPage) return [];
  return to === lastPage - 1 ? [lastPage] : ['ellipsis', lastPage];
}

function run(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
}
