import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { answerFirst } from './answer-first.ts';
import { poll } from './poll.ts';

const builder = createRequire(import.meta.url).resolve('@axe-core/playwright');
/** The builder would send the long form of axe, four times for each look. */
const axeSource = readFileSync(createRequire(builder).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * axe finds no fault in what stands on the page, once what is still being drawn is there.
 * @param rules absent: all that axe looks at by itself
 */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  await expectNoFaults(page, (axe) => (rules ? axe.withRules(rules) : axe));
}

/** Arrows on a button of a dialog scroll its text, which axe cannot know. */
const unknownInDialogs = 'scrollable-region-focusable';

/** The same of what stands over the page alone. */
export async function expectDialogAccessible(page: Page): Promise<void> {
  await expectNoFaults(page, (axe) => axe.include('[aria-modal="true"]').disableRules(unknownInDialogs));
}

type Narrow = (axe: AxeBuilder) => AxeBuilder;

async function expectNoFaults(page: Page, narrow: Narrow): Promise<void> {
  await poll(() => listFaults(page, narrow), { message: 'faults that axe finds' }).toEqual([]);
}

/** The app has no frames, so axe runs in the page alone; a page that is looked at again has it already. */
async function listFaults(page: Page, narrow: Narrow): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  const axe = new AxeBuilder({ page, axeSource: ';' }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await narrow(axe).analyze();
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`).join(', ')})`,
  );
}

interface AskingPart {
  part: Locator;
  /** What it asks the server. */
  address: string;
  /** Brings it to the screen, where it asks. */
  open(): Promise<void>;
  /** How it begins to say that it has failed. */
  failed: string;
}

/**
 * axe finds no fault in a part of a screen while it loads, when that has failed, and without a network. It loads by
 * itself once the network is back.
 */
export async function expectAccessibleFaces(page: Page, { part, address, open, failed }: AskingPart): Promise<void> {
  const due = Promise.withResolvers<void>();
  const fault = { status: 500, json: { error: 'internal_error', message: 'No' } };
  await answerFirst(page, address, fault, due.promise);
  await open();
  await expect(part.getByRole('status').filter({ hasText: 'Loading...' })).toBeAttached();
  await expectAccessible(page);
  due.resolve();
  await expect(part).toContainText(failed);
  await expectAccessible(page);
  await page.context().setOffline(true);
  await part.getByRole('button', { name: 'Retry' }).click();
  await expect(part).toContainText('Waiting for network');
  await expectAccessible(page);
  await page.context().setOffline(false);
}
