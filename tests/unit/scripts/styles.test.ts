import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findStyleFaults } from '#scripts/check-styles.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'styles-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const view = (use: string) => `import styles from './view.module.css';\nexport const view = ${use};\n`;

test.each([
  [
    'a class that is used and not declared',
    view('styles.gone'),
    '',
    'view.module.css: the class gone is used and not declared',
  ],
  [
    'a class that is declared and not used',
    view('0'),
    '.left { color: red }',
    'view.module.css: the class left is declared and not used',
  ],
  ['a style sheet that does not exist', view('styles.a'), null, 'the style sheet does not exist'],
  ['!important', view('styles.a'), '.a { color: red !important }', 'view.module.css: color is !important'],
  ['an id as selector', view('styles.a'), '.a #b { color: red }', 'view.module.css: .a #b selects by id'],
  [
    'an animated width',
    view('styles.a'),
    '.a { transition: opacity 1s, width 1s }',
    'view.module.css: width is animated',
  ],
])('%s is a fault', async (_, source, css, fault) => {
  writeFileSync(join(folder, 'view.tsx'), source);
  if (css !== null) writeFileSync(join(folder, 'view.module.css'), css);
  expect(await findStyleFaults(folder)).toEqual([expect.stringContaining(fault)]);
});

test('a view and its style sheet that agree have no fault', async () => {
  writeFileSync(join(folder, 'view.tsx'), view("[styles.a, styles['b-c']].join(' ')"));
  writeFileSync(
    join(folder, 'view.module.css'),
    '.a { transition: transform var(--t-1) } .a:hover .b-c { color: #fff; opacity: .5 }',
  );
  expect(await findStyleFaults(folder)).toEqual([]);
});
