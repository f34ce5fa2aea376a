import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { poll } from './poll.ts';

/** axe finds no fault in what stands on the page, once what is still being drawn is there. */
export async function expectAccessible(page: Page): Promise<void> {
  await poll(() => listFaults(page), { message: 'faults that axe finds' }).toEqual([]);
}

async function listFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target).join(', ')})`);
}
