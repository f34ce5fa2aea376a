import { fileURLToPath } from 'node:url';
import { canRunPackagedBrowsers, findChromium } from '#tests/support/chromium.ts';
import { run } from '#tests/support/npm-tarball.ts';
import { keepProducts } from './products.ts';

/**
 * Journeys run on the built product: built once here when its sources are newer.
 * @returns what ends the products that they have shared
 */
export default async function prepareRun(): Promise<() => Promise<void>> {
  if (!canRunPackagedBrowsers)
    console.log('Chromium 68 and 76 cannot run on this machine: their journeys are left out.');
  console.log(`The journeys run in ${(await findChromium()).path}`);
  const project = fileURLToPath(new URL('../../', import.meta.url));
  await run(process.execPath, ['src/scripts/build-when-stale.ts'], { cwd: project });
  return keepProducts();
}
