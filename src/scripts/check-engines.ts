// What the build cannot lower for Chromium 68 must not be in the built files: syntax that is a parse error there,
// functions that it lacks and that are not supplied, and style features that it ignores.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appFolder } from './build-stamp.ts';
import { findTooNewNames, findTooNewSyntax } from './too-new-code.ts';
import { findTooNewStyles } from './too-new-styles.ts';

/** What runs before the polyfills are there: the scripts of the page itself, and the module that loads them. */
const first = /^assets\/(index|first)-/;

function findScriptFaults(code: string, sourceType: 'script' | 'module', isSupplied: boolean): string[] {
  return [...findTooNewSyntax(code, sourceType), ...findTooNewNames(code, sourceType, isSupplied)];
}

async function findFaults(folder: string): Promise<string[]> {
  const faults: string[] = [];
  const add = (file: string, found: string[]) => faults.push(...found.map((fault) => `${file}: ${fault}`));
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  for await (const file of glob('**/*.js', { cwd: folder })) {
    // The worker is one classic script; whatever the page loads by itself is plain ES5 and parses as either.
    add(file, findScriptFaults(await read(file), file === 'sw.js' ? 'script' : 'module', !first.test(file)));
  }
  for (const [, script] of (await read('index.html')).matchAll(/<script>([\s\S]*?)<\/script>/g))
    add('index.html', findScriptFaults(script ?? '', 'script', false));
  for await (const file of glob('**/*.css', { cwd: folder })) add(file, findTooNewStyles(await read(file)));
  return faults;
}

if (import.meta.main) {
  const faults = await findFaults(appFolder);
  for (const fault of faults) console.error(fault);
  console.log(`Engine floor: ${faults.length} faults.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
