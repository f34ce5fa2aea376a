import { expect, test } from 'vitest';
import type { SourceFile } from '#scripts/check-shape.ts';
import { measureShape } from '#scripts/check-shape.ts';

const measured = (files: readonly SourceFile[]) =>
  Object.fromEntries(measureShape(files).measures.map(({ name, value }) => [name, value]));

const lines = (count: number) => 'work();\n'.repeat(count);

test('files, folders, sizes and exported names are counted', () => {
  const files = [
    { file: 'src/app/one.ts', text: `export const first = 1, second = 2;\n${lines(39)}` },
    {
      file: 'src/app/ui/two.ts',
      text: `export function first() {}\nexport type Third = 1;\nfunction own() {}\n${lines(7)}`,
    },
  ];
  expect(measured(files)).toMatchObject({
    files: 2,
    folders: 2,
    'files per 1,000 lines': 40,
    'exported names per 1,000 lines': 80,
    'lines in the longest file': 40,
    '% of files up to 30 lines': 50,
    'exported names in several files': 1,
  });
});

test('a module is imported by alias, by path and later, and each importer counts once', () => {
  const files = [
    {
      file: 'src/app/main.ts',
      text: "import { a } from '#app/a.ts';\nimport type { A } from './a.ts';\nimport('./b.ts');\n",
    },
    { file: 'src/app/b.ts', text: "export { a } from './a.ts';\n" },
    { file: 'src/app/a.ts', text: 'export const a = 1;\n' },
    { file: 'src/app/alone.ts', text: "import 'valtio';\n" },
  ];
  // b.ts has one importer, a.ts has two.
  expect(measured(files)['% of files with one importer']).toBe(25);
});

test('a comment that starts without a subject is found, in either form and over several lines', () => {
  const text = [
    '/** What stands until the first frame is there. */',
    '/**',
    ' * Those that are left,',
    ' * and the rest.',
    ' */',
    '// Until somebody comes,',
    '// who reads it.',
    '/** The picture shown until the first frame is decoded. */',
    '// biome-ignore lint/x: what is ignored',
  ].join('\n');
  const { commentsWithoutSubject, measures } = measureShape([{ file: 'src/app/a.ts', text }]);
  expect(commentsWithoutSubject).toEqual([
    'src/app/a.ts: What stands until the first frame is there.',
    'src/app/a.ts: Those that are left, and the rest.',
    'src/app/a.ts: Until somebody comes, who reads it.',
  ]);
  expect(measures.find(({ name }) => name.includes('subject'))).toMatchObject({ value: 75, max: 4 });
});

test('long lines are those over 100 columns', () => {
  expect(measured([{ file: 'src/app/a.ts', text: `${'x'.repeat(100)}\n${'x'.repeat(101)}\n` }])).toMatchObject({
    '% of lines over 100 columns': 50,
  });
});
