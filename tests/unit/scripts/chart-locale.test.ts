import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { dropLanguage } from '#scripts/chart-locale.ts';

const library = fileURLToPath(new URL('../../../node_modules/uplot/dist/uPlot.esm.js', import.meta.url));

test('the chart library asks no browser for its language as it loads', async () => {
  const code = await readFile(library, 'utf8');
  expect(code).toContain('nav.language');
  expect(dropLanguage(code)).not.toContain('nav.language');
});

test('the chart library writes no markup, which the content security policy would refuse', async () => {
  expect(await readFile(library, 'utf8')).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|cssText/);
});

test('another version that does otherwise stops the build', () => {
  expect(() => dropLanguage('new Intl.NumberFormat(navigator.language)')).toThrow('uPlot formats numbers');
});
