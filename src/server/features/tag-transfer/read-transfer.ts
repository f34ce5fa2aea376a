import { limits } from '#contract/limits.ts';
import type { transferFormats } from '#contract/rules/tags/tag-change.ts';
import { inListLength } from '../../database/dialect.ts';
import { Invalid } from '../../http/pipeline/errors.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import { readCsv } from './formats/read-csv.ts';
import { readJson } from './formats/read-json.ts';
import type { LinkLine } from './formats/transfer-line.ts';
import type { FindTagNumber } from './transfer-plan.ts';
import { TransferPlan } from './transfer-plan.ts';

export interface TransferFile {
  format: (typeof transferFormats)[number];
  text: string;
}

export interface FailedLine {
  line: number;
  message: string;
}

/** The lines of a file that failed: the first of them by name. */
export class FailedLines {
  readonly first: FailedLine[] = [];
  count = 0;

  add(line: number, message: string): void {
    this.count += 1;
    if (this.first.length < limits.namedImportFailures) this.first.push({ line, message });
  }
}

/**
 * What a file would change, with the lines that fail.
 * @throws Invalid for more than `importLines`
 */
export async function readTransfer(
  { format, text }: TransferFile,
  places: Pick<PathResolver, 'findNumbers'>,
  findTagNumber: FindTagNumber,
): Promise<{ plan: TransferPlan; failed: FailedLines }> {
  const [plan, failed] = [new TransferPlan(findTagNumber), new FailedLines()];
  const links: LinkLine[] = [];
  let lines = 0;
  for await (const line of format === 'csv' ? readCsv(text) : readJson(text)) {
    lines += 1;
    if (lines > limits.importLines) throw tooManyLines();
    if (line.kind === 'unreadable') failed.add(line.line, line.message);
    else if (line.kind === 'tag') addFailure(failed, line.line, plan.describe(line));
    else links.push(line);
    if (links.length === inListLength) await addLinks(plan, failed, links.splice(0), places);
  }
  await addLinks(plan, failed, links, places);
  return { plan, failed };
}

async function addLinks(
  plan: TransferPlan,
  failed: FailedLines,
  links: readonly LinkLine[],
  places: Pick<PathResolver, 'findNumbers'>,
): Promise<void> {
  const numbers = await places.findNumbers(links.map(({ path }) => path));
  for (const { line, name, path } of links) {
    const number = numbers.get(path);
    addFailure(failed, line, number === undefined ? 'No video has this path' : plan.add(name, number));
  }
}

function addFailure(failed: FailedLines, line: number, message: string | null): void {
  if (message !== null) failed.add(line, message);
}

function tooManyLines(): Invalid {
  return new Invalid([{ field: 'text', message: `A file can have at most ${limits.importLines} lines` }]);
}
