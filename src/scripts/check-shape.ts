// Measures the shape of the code and refuses what falls behind the agreed marks.
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** A source file: its path from the project's folder, and its text. */
export interface SourceFile {
  file: string;
  text: string;
}

/** A measure of the whole tree, with the mark that it must not pass. */
interface Measure {
  name: string;
  value: number;
  max: number;
}

interface Shape {
  lines: number;
  /** The exported names, in the order of the text. */
  exported: string[];
  /** The modules of this project that it imports, statically or later. */
  imported: Set<string>;
  comments: number;
  commentsWithoutSubject: string[];
  longLines: number;
}

const projectFolder = join(import.meta.dirname, '..', '..');
const roots = {
  '#contract/': 'src/contract/',
  '#device/': 'src/device/',
  '#app/': 'src/app/',
  '#server/': 'src/server/',
};
const longLine = 100;
const smallFile = 30;

/** A comment that begins with one of these words has no subject before its first clause. */
const relativeStart =
  /^(what|those|that|of|also|so|which|whose|where|as|without|until|before|while|with|by|beside|beyond|between|among|under|neither|nobody|somebody|such|not|from|in)\b/i;
/** A comment of fewer letters is a label. */
const shortestSentence = 12;

/** Measures all files together. */
export function measureShape(files: readonly SourceFile[]): { measures: Measure[]; commentsWithoutSubject: string[] } {
  const shapes = new Map(files.map(({ file, text }) => [file, readShape(file, text)]));
  const all = [...shapes.values()];
  const sizes = all.map(({ lines }) => lines).sort((one, other) => one - other);
  const sum = (pick: (shape: Shape) => number) => all.reduce((total, shape) => total + pick(shape), 0);
  const lines = sum((shape) => shape.lines);
  const importers = new Map<string, number>();
  for (const { imported } of all) for (const to of imported) importers.set(to, (importers.get(to) ?? 0) + 1);
  const places = new Map<string, number>();
  for (const { exported } of all) for (const name of new Set(exported)) places.set(name, (places.get(name) ?? 0) + 1);
  const count = (matches: (file: string) => boolean) => [...shapes.keys()].filter(matches).length;
  const percent = (part: number, whole: number) => Math.round((1_000 * part) / whole) / 10;
  const perThousand = (part: number) => Math.round((10_000 * part) / lines) / 10;
  const measures = [
    { name: 'files', value: files.length, max: 820 },
    { name: 'folders', value: new Set(files.map(({ file }) => dirname(file))).size, max: 100 },
    { name: 'files per 1,000 lines', value: perThousand(files.length), max: 9 },
    { name: 'exported names per 1,000 lines', value: perThousand(sum(({ exported }) => exported.length)), max: 35 },
    { name: 'median of lines in a file', value: sizes[Math.floor(sizes.length / 2)] ?? 0, max: 130 },
    { name: 'lines in 9 of 10 files, at most', value: sizes[Math.floor(sizes.length * 0.9)] ?? 0, max: 250 },
    { name: 'lines in the longest file', value: sizes.at(-1) ?? 0, max: 400 },
    {
      name: `% of files up to ${smallFile} lines`,
      value: percent(
        count((file) => (shapes.get(file)?.lines ?? 0) <= smallFile),
        files.length,
      ),
      max: 12,
    },
    {
      name: '% of files with one importer',
      value: percent(
        count((file) => importers.get(file) === 1),
        files.length,
      ),
      max: 31,
    },
    { name: 'exported names in several files', value: [...places.values()].filter((n) => n > 1).length, max: 60 },
    {
      name: '% of comments without a subject',
      value: percent(
        sum((shape) => shape.commentsWithoutSubject.length),
        sum((shape) => shape.comments),
      ),
      max: 4,
    },
    {
      name: `% of lines over ${longLine} columns`,
      value: percent(
        sum((shape) => shape.longLines),
        lines,
      ),
      max: 3.2,
    },
  ];
  return { measures, commentsWithoutSubject: all.flatMap((shape) => shape.commentsWithoutSubject) };
}

function readShape(file: string, text: string): Shape {
  const rows = text.trimEnd().split('\n');
  const shape: Shape = {
    lines: rows.length,
    exported: [],
    imported: new Set(),
    comments: 0,
    commentsWithoutSubject: [],
    longLines: rows.filter((row) => row.length > longLine).length,
  };
  for (const comment of readComments(text)) {
    shape.comments += 1;
    if (relativeStart.test(comment)) shape.commentsWithoutSubject.push(`${file}: ${comment}`);
  }
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  for (const statement of source.statements) shape.exported.push(...exportedNames(statement));
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    const to = specifier === null ? null : resolveSpecifier(file, specifier);
    if (to !== null) shape.imported.add(to);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return shape;
}

/** The texts of block comments, and of neighbouring line comments as one. */
function readComments(text: string): string[] {
  const found = text.match(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm) ?? [];
  return found
    .map((comment) =>
      comment
        .replace(/^\s*(?:\/\*+|\*+\/|\*|\/\/)[ \t]?|\*\/$/gm, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((comment) => comment.length >= shortestSentence && !/biome-ignore|@ts-/.test(comment));
}

function exportedNames(statement: ts.Statement): string[] {
  if (!ts.canHaveModifiers(statement)) return [];
  const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  if (!isExported) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  const { name } = statement as { name?: ts.Node };
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

function specifierOf(node: ts.Node): string | null {
  const specifier =
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : undefined;
  return specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : null;
}

function resolveSpecifier(file: string, specifier: string): string | null {
  for (const [short, long] of Object.entries(roots))
    if (specifier.startsWith(short)) return long + specifier.slice(short.length);
  return specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : null;
}

if (import.meta.main) {
  const files: SourceFile[] = [];
  for await (const file of glob(['src/{app,contract,device,server}/**/*.{ts,tsx}', 'sw/**/*.ts'], {
    cwd: projectFolder,
    exclude: ['**/*.d.ts'],
  }))
    files.push({ file, text: readFileSync(join(projectFolder, file), 'utf8') });
  const { measures, commentsWithoutSubject } = measureShape(files);
  if (process.argv.includes('--comments')) for (const comment of commentsWithoutSubject) console.log(comment);
  for (const { name, value, max } of measures)
    console.log(
      `${name.padEnd(36)}${String(value).padStart(7)}   at most ${max}${value > max ? '   BEHIND THE MARK' : ''}`,
    );
  process.exitCode = files.length > 0 && measures.every(({ value, max }) => value <= max) ? 0 : 1;
}
