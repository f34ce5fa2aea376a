// Builds the app and its service worker into `.build/app`, compresses the files and writes the stamp of their sources.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { appFolder, projectFolder, readSourceStamp, writeBuildStamp } from './build-stamp.ts';

const compressible = /\.(js|css|html|svg|json|webmanifest|txt|md)$/;
const smallestWorthIt = 256;

/** Writes a `.br` and a `.gz` beside every text file in `folder`; the server sends the one that a browser accepts. */
async function compressFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && compressible.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(files.map(compressFile));
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < smallestWorthIt) return;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

/** Ends with words for what a person can mend. */
function endUnwritable(error: NodeJS.ErrnoException): never {
  const advice =
    error.code === 'ENOSPC' ? 'Make room on its disk.' : 'Run this as its owner once, or give it to this user.';
  console.error(
    `Fourfold: the app has to be built, and ${projectFolder} cannot be written to (${error.code}). ${advice}`,
  );
  process.exit(1);
}

const began = performance.now();
console.log('Fourfold: building the app …');

// Each run builds into its own folder and moves it into place, so that interrupted or simultaneous builds leave no
// incomplete app.
const ownFolder = `${appFolder}.${process.pid}`;
const oldFolder = `${ownFolder}.old`;
const stamp = await readSourceStamp();
await mkdir(ownFolder, { recursive: true }).catch(endUnwritable);
await build({ root: projectFolder, logLevel: 'warn', build: { outDir: ownFolder, emptyOutDir: true } });
await compressFolder(ownFolder);
await writeBuildStamp(ownFolder, stamp);
await mkdir(appFolder, { recursive: true });
await rename(appFolder, oldFolder);
await rename(ownFolder, appFolder);
await rm(oldFolder, { recursive: true });
console.log(`Fourfold: app built in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
