// Compares every `styles.x` with the classes of its style sheet, in both directions: the types accept a class that does
// not exist.
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import postcss from 'postcss';
import { projectFolder } from './build-stamp.ts';

const importPattern = /import (\w+) from '(.+\.module\.css)'/g;
/** Only these properties may be animated. Others make the frames of a video wait for layout. */
const movable = new Set(['transform', 'opacity', 'visibility', 'none', 'all 0s']);

/** Lists the faults of the style sheets in `folder` and of their use, as sentences. */
export async function findStyleFaults(folder: string): Promise<string[]> {
  const faults: string[] = [];
  const usedOf = new Map<string, Set<string>>();
  for await (const file of glob('**/*.{ts,tsx}', { cwd: folder }))
    collectUse(join(folder, file), await readFile(join(folder, file), 'utf8'), usedOf);
  for await (const file of glob('**/*.css', { cwd: folder })) {
    const path = join(folder, file);
    const root = postcss.parse(await readFile(path, 'utf8'), { from: path });
    faults.push(...findForbidden(file, root));
    if (file.endsWith('.module.css'))
      faults.push(...compareClasses(file, readClasses(root), usedOf.get(path) ?? new Set()));
  }
  for (const path of usedOf.keys()) if (!existsSync(path)) faults.push(`${path}: the style sheet does not exist`);
  return faults;
}

function collectUse(file: string, source: string, usedOf: Map<string, Set<string>>): void {
  for (const [, name, specifier] of source.matchAll(importPattern)) {
    const path = join(dirname(file), specifier ?? '');
    const used = usedOf.get(path) ?? new Set();
    for (const [, dotted, quoted] of source.matchAll(new RegExp(`\\b${name}(?:\\.(\\w+)|\\['([^']+)'\\])`, 'g')))
      used.add(dotted ?? quoted ?? '');
    usedOf.set(path, used);
  }
}

function readClasses(root: postcss.Root): Set<string> {
  const classes = new Set<string>();
  root.walkRules((rule) => {
    const own = rule.selector.replace(/:global\([^)]*\)/g, '');
    for (const [, name] of own.matchAll(/\.([A-Za-z][\w-]*)/g)) classes.add(name ?? '');
  });
  return classes;
}

function compareClasses(file: string, declared: Set<string>, used: Set<string>): string[] {
  return [
    ...[...used]
      .filter((name) => !declared.has(name))
      .map((name) => `${file}: the class ${name} is used and not declared`),
    ...[...declared]
      .filter((name) => !used.has(name))
      .map((name) => `${file}: the class ${name} is declared and not used`),
  ];
}

function findForbidden(file: string, root: postcss.Root): string[] {
  const faults: string[] = [];
  root.walkDecls((declaration) => {
    if (declaration.important) faults.push(`${file}: ${declaration.prop} is !important`);
    if (/^transition(-property)?$/.test(declaration.prop)) {
      const moved = declaration.value.split(',').map((part) => part.trim().split(/\s+/)[0] ?? '');
      for (const property of moved) if (!movable.has(property)) faults.push(`${file}: ${property} is animated`);
    }
  });
  root.walkRules((rule) => {
    if (/(^|[\s>+~,])#[\w-]/.test(rule.selector)) faults.push(`${file}: ${rule.selector} selects by id`);
  });
  return faults;
}

if (import.meta.main) {
  const faults = await findStyleFaults(join(projectFolder, 'src/app'));
  for (const fault of faults) console.error(fault);
  console.log(`Styles: ${faults.length} faults.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
