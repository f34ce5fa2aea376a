import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { poll } from './poll.ts';

const builder = createRequire(import.meta.url).resolve('@axe-core/playwright');
/** The builder would send the long form of axe, four times for each look. */
const axeSource = readFileSync(createRequire(builder).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * axe finds no fault in what stands on the page, once what is still being drawn is there.
 * @param rules absent: all that axe looks at by itself
 */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  await poll(() => listFaults(page, rules), { message: 'faults that axe finds' }).toEqual([]);
}

/** The app has no frames, so axe runs in the page alone; a page that is looked at again has it already. */
async function listFaults(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  const axe = new AxeBuilder({ page, axeSource: ';' }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`).join(', ')})`,
  );
}
