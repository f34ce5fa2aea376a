import { parseEnv } from 'node:util';
import { envSchema } from './env-variables.ts';

/** What a look at a `.env` found; each sentence names its line, and none repeats a value: it may be a password. */
export interface EnvFileFindings {
  /** The server would run with something else than what was written. */
  problems: string[];
  /** Names that Fourfold does not know. */
  warnings: string[];
}

const known = Object.keys(envSchema.shape);

/**
 * Compares what a person wrote into a `.env` with what Node reads from it: without quotes, Node drops blanks at both
 * ends and everything from a `#` on, so that a password would be a shorter one.
 */
export function checkEnvFile(text: string): EnvFileFindings {
  const findings: EnvFileFindings = { problems: [], warnings: [] };
  if (text.startsWith('\uFEFF'))
    findings.problems.push('.env line 1 begins with a byte order mark: save the file as UTF-8 without one');
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries())
    checkLine(findings, `.env line ${index + 1}`, line);
  return findings;
}

function checkLine(findings: EnvFileFindings, place: string, line: string): void {
  if (line.trim() === '' || line.trimStart().startsWith('#')) return;
  const [, name, value] = /^\s*(?:export\s+)?([^\s=]+)\s*=(.*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    findings.problems.push(`${place} is neither a comment nor NAME=value`);
    return;
  }
  if (!isReadAsWritten(name, value))
    findings.problems.push(
      `${place}: ${name} would not be read as it is written; put its value into 'single quotes', and a comment on a line of its own`,
    );
  if (known.includes(name)) return;
  const meant = known.find((one) => isMisspelt(name.toUpperCase(), one));
  if (meant === undefined) findings.warnings.push(`${place}: ${name} is no setting of Fourfold`);
  else findings.problems.push(`${place}: ${name} is no setting of Fourfold; is it ${meant}?`);
}

function isReadAsWritten(name: string, value: string): boolean {
  const [quote = ''] = value;
  const isQuoted = ['"', "'", '`'].includes(quote);
  if (isQuoted && (value.length < 2 || !value.endsWith(quote))) return false;
  return parseEnv(`${name}=${value}`)[name] === (isQuoted ? value.slice(1, -1) : value);
}

/** Names of up to this many letters count as misspelt only by one letter: `TZ` is not meant as `TLS`. */
const shortName = 4;

function isMisspelt(name: string, known: string): boolean {
  return countEdits(name, known) <= (known.length <= shortName ? 1 : 2);
}

/**
 * Letters that are added, left out, changed, or exchanged with their neighbour: the optimal string alignment distance.
 */
function countEdits(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const at = (up: number, left: number) => rows[i - up]?.[j - left] ?? 0;
      const changed = at(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(at(1, 0) + 1, (row[j - 1] ?? 0) + 1, changed, isExchanged ? at(2, 2) + 1 : changed));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
