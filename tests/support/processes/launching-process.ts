import { mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Confinement } from '#server/media/sandbox/confinement.ts';
import { runSandboxed } from '#server/media/sandbox/sandbox.ts';

/** A file of compiled code. */
export interface CompiledFile {
  name: string;
  bytes: number;
}

/*
 * A process that runs three programs one after the other, and prints how each ended and which compiled code was there
 * then. Its arguments are how the programs are confined, and a folder in which nothing else is.
 */
const [confinement = '', folder = ''] = process.argv.slice(2);
const limits = { seconds: 20, processorSeconds: 20, memoryMegabytes: 500, outputBytes: 1_000 };
const cache = join(folder, 'cache');
mkdirSync(cache);
enableCompileCache(cache);

const runs: { end: string; compiled: CompiledFile[] }[] = [];
for (let run = 0; run < 3; run += 1) {
  const end = await runSandboxed({
    program: '/bin/true',
    args: [],
    executable: ['/'],
    folder: mkdtempSync(join(folder, 'run-')),
    limits,
    confinement: JSON.parse(confinement) as Confinement,
  });
  runs.push({ end: end.kind, compiled: listCompiled() });
}
process.stdout.write(JSON.stringify(runs));

function listCompiled(): CompiledFile[] {
  return readdirSync(cache, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => ({ name, file: statSync(join(cache, name)) }))
    .flatMap(({ name, file }) => (file.isFile() ? [{ name, bytes: file.size }] : []));
}
