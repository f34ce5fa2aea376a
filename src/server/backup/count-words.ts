/** `1 row`, `2 rows`. */
export function formatCount(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** A line of progress. */
export function formatRows(table: string, rows: number): string {
  return `${table}: ${formatCount(rows, 'row')}`;
}
