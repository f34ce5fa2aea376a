/** The columns of a file of tags and links. */
export const csvColumns = ['tag', 'description', 'color', 'aliases', 'path'] as const;

/**
 * A spreadsheet runs a cell that begins like a formula; an apostrophe in front makes it text (OWASP, CSV injection).
 * What was guarded when it was written is unguarded when it is read.
 */
export function withFormulaGuard(cell: string): string {
  return /^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

export function withoutFormulaGuard(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/** Names in one cell, with a bar between them; a bar or backslash in a name has a backslash in front. */
export function joinAliases(aliases: readonly string[]): string {
  return aliases.map((alias) => alias.replaceAll(/[\\|]/g, String.raw`\$&`)).join('|');
}

export function splitAliases(cell: string): string[] {
  const names = cell.match(/(?:\\.|[^\\|])+/gsu) ?? [];
  return names.map((name) => name.replaceAll(/\\(.)/gsu, '$1').trim()).filter((name) => name !== '');
}
