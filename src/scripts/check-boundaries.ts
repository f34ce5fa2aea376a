// Reads all imports and refuses those that a rule of .dependency-cruiser.cjs forbids.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ICruiseOptions, ICruiseResult } from 'dependency-cruiser';
import { cruise } from 'dependency-cruiser';

/** The cruiser reads nothing and reports success if it does not know the compiler, so fewer modules are an error. */
const fewestModules = 60;

const projectFolder = join(import.meta.dirname, '..', '..');
const { forbidden, options } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');

export interface Trespass {
  rule: string;
  from: string;
  to: string;
}

/** Lists the forbidden imports in `folder`, and counts the modules that were read. */
export async function findTrespasses(folder: string): Promise<{ modules: number; trespasses: Trespass[] }> {
  const cruiseOptions: ICruiseOptions = { ...options, baseDir: folder, ruleSet: { forbidden }, validate: true };
  const { output } = await cruise(['src', 'sw'], cruiseOptions, options.enhancedResolveOptions);
  const { modules, summary } = output as ICruiseResult;
  return {
    modules: modules.filter((module) => !module.source.includes('node_modules') && !module.coreModule).length,
    trespasses: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}

if (import.meta.main) {
  const { modules, trespasses } = await findTrespasses(projectFolder);
  for (const { rule, from, to } of trespasses) console.error(`${rule}: ${from} → ${to}`);
  const hasReadTheHouse = modules >= fewestModules;
  if (!hasReadTheHouse) console.error(`Only ${modules} modules were read; the project has at least ${fewestModules}.`);
  console.log(`Boundaries: ${modules} modules read, ${trespasses.length} trespasses.`);
  process.exitCode = trespasses.length === 0 && hasReadTheHouse ? 0 : 1;
}
