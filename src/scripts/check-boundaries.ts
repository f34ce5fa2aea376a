// Draws every import of the house and refuses those that go against an arrow (.dependency-cruiser.cjs).
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ICruiseOptions, ICruiseResult } from 'dependency-cruiser';
import { cruise } from 'dependency-cruiser';

/**
 * With a compiler it does not know, the cruiser reads nothing and reports success. The house has more modules than
 * this.
 */
const fewestModules = 60;

const projectFolder = join(import.meta.dirname, '..', '..');
const { forbidden, options } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');

export interface Trespass {
  rule: string;
  from: string;
  to: string;
}

/** Every import below `folder` that a rule forbids, and how many modules were read to know. */
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
  if (!hasReadTheHouse)
    console.error(`Only ${modules} modules were read; at least ${fewestModules} stand in the house.`);
  console.log(`Boundaries: ${modules} modules read, ${trespasses.length} trespasses.`);
  process.exitCode = trespasses.length === 0 && hasReadTheHouse ? 0 : 1;
}
