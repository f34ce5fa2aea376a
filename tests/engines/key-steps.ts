import assert from 'node:assert/strict';
import { quadrants } from '#contract/quadrants.ts';
import { registerAt } from '#tests/e2e/accounts.ts';
import { crawlByKeys } from '#tests/e2e/crawl.ts';
import type { DialogWay } from '#tests/e2e/dialogs.ts';
import { dialogsOfAdministrators, dialogsOfCurators } from '#tests/e2e/dialogs.ts';
import { everyView } from '#tests/e2e/every-view.ts';
import { makeTags } from '#tests/e2e/tagged-library.ts';
import type { EnginePage } from '#tests/support/engine-page.ts';
import type { Product } from '#tests/support/product.ts';
import { focusButton, focusOf, focusOn, isLoaded } from './in-page.ts';
import type { Screen } from './screen.ts';

type PageWithKeys = EnginePage & Required<Pick<EnginePage, 'press'>>;

export async function reachQuadrants(screen: Screen): Promise<string> {
  const page = keysOf(screen);
  await screen.open('form=tv');
  await screen.until('the start', async () => (await page.evaluate(focusOf, null)).name !== '');
  await page.press('Enter');
  await screen.untilAllAdvance();
  let reached = await reachAll(page, 'the grid', quadrants.length);
  for (const quadrant of quadrants) {
    await screen.until(`the controls of ${quadrant}`, async () => {
      await page.evaluate(focusOn, `section[data-quadrant="${quadrant}"]`);
      await page.press('Enter');
      return (await page.evaluate(focusOf, null)).quadrant === quadrant;
    });
    reached += await reachAll(page, quadrant, 6);
    await page.press('Escape');
  }
  return `${reached} controls`;
}

export async function reachViews(screen: Screen): Promise<string> {
  const page = keysOf(screen);
  let reached = 0;
  for (const { view } of everyView) {
    await openView(screen, view);
    reached += await reachAll(page, view, 1);
  }
  return `${reached} controls`;
}

export async function reachDialogs(screen: Screen, product: Product): Promise<string> {
  const page = keysOf(screen);
  await registerAt(product, 'quinn');
  await makeTags(product, 'Aurora', 'Cities');
  const ways = [...dialogsOfAdministrators, ...dialogsOfCurators].filter(({ form }) => form !== 'phone');
  let reached = 0;
  for (const way of ways) {
    await openView(screen, way.view);
    await openDialog(screen, page, way);
    reached += await reachAll(page, `${way.name} of ${way.view}`, 1);
  }
  return `${ways.length} dialogs, ${reached} controls`;
}

function keysOf({ page }: Screen): PageWithKeys {
  return page as PageWithKeys;
}

async function openView(screen: Screen, view: string): Promise<void> {
  await screen.open(`form=tv&view=${view}`);
  await screen.until(`a focus in ${view}`, async () => (await screen.page.evaluate(focusOf, null)).name !== '');
  await screen.until(`the lists of ${view}`, () => screen.page.evaluate(isLoaded, null));
}

async function openDialog(screen: Screen, page: PageWithKeys, { path, name }: DialogWay): Promise<void> {
  for (const step of path) {
    await screen.until(`a button ${step}`, () => page.evaluate(focusButton, toPattern(step)));
    await page.press('Enter');
  }
  const pattern = new RegExp(toPattern(name).source, name instanceof RegExp ? name.flags : '');
  await screen.until(`the dialog ${name}`, async () => pattern.test((await page.evaluate(focusOf, null)).dialog));
}

/** A name as a pattern that travels into the page. */
function toPattern(name: string | RegExp): { source: string; flags: string } {
  if (name instanceof RegExp) return { source: name.source, flags: name.flags };
  return { source: `^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, flags: '' };
}

/** @returns how many controls the arrows have led to */
async function reachAll(page: PageWithKeys, what: string, atLeast: number): Promise<number> {
  const { controls, unreached, lost } = await crawlByKeys(page, { isBrief: true });
  assert.ok(controls.length >= atLeast, `${what} has ${controls.length} controls: ${controls.join(', ')}`);
  assert.deepEqual({ what, unreached, lost }, { what, unreached: [], lost: [] });
  return controls.length;
}
