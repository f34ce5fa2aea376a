import type { Plugin } from 'vite';
import { limits } from '#contract/limits.ts';

const importsLimits = /from ['"][^'"]*\/limits\.ts['"]/;
const property = /(?<![\w$.'"/-])limits\.(\w+)/g;
const destructured = /\{([^{}]+)\}\s*=\s*limits\b(?!\.)/g;

/**
 * Replaces each use of `limits` by its value. The bundler cannot drop single properties of an object, so that a first
 * visit would load all of them.
 */
export function inlineLimits(): Plugin {
  return {
    name: 'inline-limits',
    apply: 'build',
    transform: (code) => (importsLimits.test(code) ? { code: inlineUses(code), map: null } : null),
  };
}

/** @throws if `limits` has no property of that name */
export function inlineUses(code: string): string {
  return code
    .replaceAll(destructured, (_, names: string) => {
      const values = names.split(',').map((name) => readLimit(name.split(':')[0]?.trim() ?? ''));
      return `{${names}} = {${values.map(([name, value]) => `${name}:${value}`).join()}}`;
    })
    .replaceAll(property, (_, name: string) => readLimit(name)[1]);
}

function readLimit(name: string): [name: string, value: string] {
  if (!(name in limits)) throw new Error(`There is no limit called ${name}.`);
  return [name, JSON.stringify(limits[name as keyof typeof limits])];
}
