// Builds the app and its worker into .build/app, compresses them once for every visit, and notes what they were built
// from.
import { mkdir, rename, rm } from 'node:fs/promises';
import { build } from 'vite';
import { appFolder, projectFolder, readSourceStamp, writeBuildStamp } from './build-stamp.ts';
import { compressFolder } from './compress.ts';

const began = performance.now();
console.log('Fourfold: building the app …');

// A folder of this run's own, moved into place whole: neither an interrupted build nor two at once leave half an app.
const ownFolder = `${appFolder}.${process.pid}`;
const oldFolder = `${ownFolder}.old`;
const stamp = await readSourceStamp();
await build({ root: projectFolder, logLevel: 'warn', build: { outDir: ownFolder, emptyOutDir: true } });
await compressFolder(ownFolder);
await writeBuildStamp(ownFolder, stamp);
await mkdir(appFolder, { recursive: true });
await rename(appFolder, oldFolder);
await rename(ownFolder, appFolder);
await rm(oldFolder, { recursive: true });
console.log(`Fourfold: app built in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
