// The byte budget: what a first visit to the feed loads, and what the worker keeps for offline, both without the font.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { appFolder } from './build-stamp.ts';
import { collectFiles, feedFilesOf, readBuildManifest, visitFilesOf } from './online-files.ts';

const kib = 1024;
const feedBudget = { goal: 90 * kib, floor: 90 * kib };
const shellBudget = { goal: 220 * kib, floor: 320 * kib };
const uploadBudget = { goal: 18 * kib, floor: 40 * kib };
/** Words that only the schema library says: one import that should have been `import type` brings all of it along. */
const schemaMarks = ['ZodError', 'invalid_union'];

const manifest = await readBuildManifest();

/** Bytes on the wire: the brotli twin where there is one. */
async function weigh(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    [...files].map((file) => stat(join(appFolder, `${file}.br`)).catch(() => stat(join(appFolder, file)))),
  );
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

async function readPrecached(): Promise<string[]> {
  const worker = await readFile(join(appFolder, 'sw.js'), 'utf8');
  const urls = [
    ...worker.matchAll(/url:\s*["'`]([^"'`]+)["'`]/g),
    ...worker.matchAll(/["']url["']:\s*["']([^"']+)["']/g),
  ].map(([, url]) => url ?? '');
  return [...new Set(urls)].filter((url) => !url.endsWith('.woff2'));
}

async function findSchemaLibrary(): Promise<string[]> {
  const files = Object.values(manifest)
    .map((chunk) => chunk.file)
    .filter((file) => file.endsWith('.js'));
  const sources = await Promise.all(files.map((file) => readFile(join(appFolder, file), 'utf8')));
  return files.filter((_, at) => schemaMarks.some((mark) => sources[at]?.includes(mark)));
}

function report(name: string, bytes: number, { goal, floor }: { goal: number; floor: number }): boolean {
  const inKib = (value: number) => (value / kib).toFixed(1);
  const verdict =
    bytes <= goal ? 'within the goal' : bytes <= floor ? 'above the goal, within the floor' : 'ABOVE THE FLOOR';
  console.log(
    `${name.padEnd(28)} ${inKib(bytes).padStart(7)} KiB brotli   goal ${inKib(goal)}   floor ${inKib(floor)}   ${verdict}`,
  );
  return bytes <= floor;
}

const precached = await readPrecached();
if (precached.length === 0) throw new Error('The worker keeps no file: nothing could be weighed.');

const feedFiles = feedFilesOf(manifest);
const visitFiles = visitFilesOf(manifest);
const uploadKey = Object.keys(manifest).find((key) => key.includes('features/upload/upload-screen'));
const uploadFiles = uploadKey ? [...collectFiles(manifest, uploadKey)].filter((file) => !visitFiles.has(file)) : [];
const within = [
  report('Feed: HTML, scripts, styles', await weigh(['index.html', ...feedFiles]), feedBudget),
  report('Upload adds to a visit', await weigh(uploadFiles), uploadBudget),
  report('Kept by the worker', await weigh(precached), shellBudget),
];
const withSchemas = await findSchemaLibrary();
for (const file of withSchemas)
  console.error(`${file} holds the schema library: somewhere an entity is imported as a value.`);
process.exitCode = within.every(Boolean) && withSchemas.length === 0 ? 0 : 1;
