/*
 * The order in which both databases keep paths: by their bytes in UTF-8. Text in JavaScript is ordered by its UTF-16,
 * which is the same but for characters beyond U+FFFF.
 */
const surrogate = /[\ud800-\udfff]/;

/** Negative, 0 or positive. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  if (surrogate.test(one) || surrogate.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}

/** Sorts in place. */
export function sortPaths(paths: string[]): string[] {
  return paths.some((path) => surrogate.test(path)) ? paths.sort(comparePaths) : paths.sort();
}
