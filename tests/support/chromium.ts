import { spawn } from 'node:child_process';
import { access, constants, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { NpmTarball } from './npm-tarball.ts';
import { exists, expandArchive, expandProgram, run, unpackOnce } from './npm-tarball.ts';

/** A browser to start: its program, and what its environment needs beyond our own. */
export interface BrowserProgram {
  readonly path: string;
  readonly environment: Record<string, string>;
}

/** Chromium 153 in one file, with the libraries that a bare machine lacks. */
const packagedChromium: NpmTarball = {
  name: '@sparticuz/chromium',
  version: '153.0.0',
  integrity: 'sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==',
};

const installedNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The exit code of a program whose shared libraries cannot be found, or that does not exist. */
const cannotStart = 127;

/**
 * A current Chromium: `CHROMIUM_PATH`, the one in the npm registry, an installed one, or (as root) Debian's, in this
 * order. So every x64 Linux proves the same browser, whatever is installed there.
 */
export async function findChromium(): Promise<BrowserProgram> {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen !== undefined && chosen !== '') return { path: chosen, environment: {} };
  const failures: unknown[] = [];
  for (const source of [fetchPackagedChromium, findInstalled, installFromDebian]) {
    try {
      return await source();
    } catch (error) {
      failures.push(error);
    }
  }
  const reasons = failures.map((failure) => `  ${failure instanceof Error ? failure.message : failure}`).join('\n');
  throw new Error(`No Chromium could be found or fetched. Install one, or name it in CHROMIUM_PATH.\n${reasons}`);
}

/** The Chromium of the npm registry. */
export async function fetchPackagedChromium(): Promise<BrowserProgram> {
  refuseOtherMachines();
  const folder = await unpackOnce(packagedChromium, async (packageFolder, target) => {
    const packed = (name: string) => join(packageFolder, 'bin', `${name}.br`);
    await Promise.all([
      expandProgram(packed('chromium'), join(target, 'chromium')),
      expandArchive(packed('al2023.tar'), target),
      expandArchive(packed('swiftshader.tar'), target),
      mkdir(join(target, 'fonts')).then(() => expandArchive(packed('fonts.tar'), join(target, 'fonts'))),
    ]);
  });
  return equip(join(folder, 'chromium'), folder);
}

/** Adds the packaged libraries (NSS, NSPR, expat) and fonts where this machine has none of its own. */
export async function equip(path: string, folder: string): Promise<BrowserProgram> {
  const environment: Record<string, string> = {};
  if (!(await exists('/etc/fonts/fonts.conf'))) environment.FONTCONFIG_PATH = join(folder, 'fonts');
  if (await starts(path)) return { path, environment };
  const libraries = [join(folder, 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  environment.LD_LIBRARY_PATH = libraries;
  if (await starts(path, environment)) return { path, environment };
  throw new Error(`${path} does not start on this machine: shared libraries are missing`);
}

/** The folder of the packaged libraries, for a program that lacks them too. */
export async function packagedFolder(): Promise<string> {
  return join((await fetchPackagedChromium()).path, '..');
}

/** Whether a Chromium finds its libraries: it says its version (or that it refuses to run as root), and ends. */
export async function starts(path: string, environment: Record<string, string> = {}): Promise<boolean> {
  const child = spawn(path, ['--no-sandbox', '--version'], {
    stdio: 'ignore',
    env: { ...process.env, ...environment },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code !== cannotStart));
  });
}

/** The browsers in the npm registry are Linux programs for x64. */
export const canRunPackagedBrowsers = process.platform === 'linux' && process.arch === 'x64';

export function refuseOtherMachines(): void {
  if (!canRunPackagedBrowsers)
    throw new Error(`the npm registry has no Chromium for ${process.platform} ${process.arch}`);
}

async function findInstalled(): Promise<BrowserProgram> {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'));
  for (const name of installedNames) {
    for (const folder of folders) {
      const path = join(folder, name);
      if (await isProgram(path)) return { path, environment: {} };
    }
  }
  throw new Error(`none of ${installedNames.join(', ')} is installed`);
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function installFromDebian(): Promise<BrowserProgram> {
  if (process.getuid?.() !== 0) throw new Error('apt-get can install chromium for root only');
  await run('apt-get', ['update', '--quiet']);
  await run('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', 'chromium']);
  return findInstalled();
}
