import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { projectFolder } from '#scripts/build-stamp.ts';
import { makeLibrary } from '#tests/support/library.ts';
import type { Product } from '#tests/support/product.ts';
import { startProduct } from '#tests/support/product.ts';
import type { Journey } from './journey.ts';

const six = ['hue-000', 'hue-060', 'hue-120', 'hue-180', 'hue-240', 'hue-300'];
/** What the product is built and run from. */
const released = [
  '.build/app',
  'index.html',
  'manifest.webmanifest',
  'package.json',
  'package-lock.json',
  'public',
  'src',
  'sw',
  'vite.config.ts',
];

/** A product with a folder of its own, which can be built anew. */
export interface ReleasedProduct extends Product {
  /** Stops it, and starts it with a build whose files have other names. */
  release(): Promise<void>;
}

export async function openReleasedProduct(endings: Journey['endings']): Promise<ReleasedProduct> {
  const folder = await copyProject();
  endings.push(() => rm(folder, { recursive: true }));
  const library = await makeLibrary(six);
  endings.push(() => library.remove());
  const product = await startProduct({ libraryDirs: [library.folder], folder });
  endings.push(() => product.dispose());
  const release = async () => {
    await product.stop();
    await buildNext(folder);
    await product.start();
  };
  return Object.assign(product, { release });
}

/** The project as a release holds it, with its build; what is installed is shared. */
async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-project-'));
  for (const name of released) await cp(join(projectFolder, name), join(folder, name), { recursive: true });
  await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** A change in a module that every script needs gives each another name. */
async function buildNext(folder: string): Promise<void> {
  await appendFile(
    join(folder, 'src/device/timers.ts'),
    "\nif ('document' in globalThis) document.documentElement.dataset.build = 'next';\n",
  );
  await promisify(execFile)(process.execPath, ['src/scripts/build.ts'], { cwd: folder });
}

/** Waits until the page runs the build that was released. */
export async function waitForRelease(page: Page): Promise<void> {
  await expect(page.locator('html[data-build="next"]')).toHaveCount(1);
}
