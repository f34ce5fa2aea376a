import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const contract = new URL('../../../src/contract/', import.meta.url);
const ruleFiles = readdirSync(new URL('rules/', contract), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `rules/${file}`);
const browserFiles = [
  'endpoints.ts',
  'limits.ts',
  'failures.ts',
  'confirmations.ts',
  'notices.ts',
  'quadrants.ts',
  ...ruleFiles,
];

test.each(browserFiles)('a browser that imports %s gets neither zod nor an entity with it', (file) => {
  const reached = filesReached(new URL(file, contract));

  expect(reached.filter((path) => !isPlain(path))).toEqual([]);
});

test('the walk sees what an entity imports', () => {
  const reached = filesReached(new URL('entities/feed.ts', contract));

  expect(reached).toContain('zod');
  expect(reached).toContain('entities/tag.ts');
  expect(reached).toContain('limits.ts');
});

/**
 * Everything a module needs at run time: paths below the contract, and packages by name. Type-only imports are erased.
 */
function filesReached(start: URL, seen = new Set<string>()): string[] {
  const name = nameOf(start);
  if (seen.has(name)) return [];
  seen.add(name);
  for (const specifier of importsOf(start)) {
    const target = resolve(specifier, start);
    if (target === null) seen.add(specifier);
    else filesReached(target, seen);
  }
  return [...seen];
}

function importsOf(file: URL): string[] {
  const source = readFileSync(file, 'utf8');
  const statements = source.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm);
  return [...statements].map((match) => match[1]!);
}

function resolve(specifier: string, from: URL): URL | null {
  const url = specifier.startsWith('#contract/')
    ? new URL(specifier.slice('#contract/'.length), contract)
    : new URL(specifier, from);
  return existsSync(fileURLToPathOrNothing(url)) ? url : null;
}

function fileURLToPathOrNothing(url: URL): string {
  return url.protocol === 'file:' ? fileURLToPath(url) : '';
}

function nameOf(file: URL): string {
  return file.href.slice(contract.href.length);
}

function isPlain(path: string): boolean {
  return path.endsWith('.ts') && !path.startsWith('entities/');
}
