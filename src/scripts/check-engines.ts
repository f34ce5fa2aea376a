// What the build cannot lower for Chromium 79 must not be in the built files: syntax that is a parse error there, and style features that it ignores.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node } from 'acorn';
import { parse } from 'acorn';
import postcss from 'postcss';
import { appFolder } from './build-stamp.ts';

/** Chromium 79 parses ECMAScript 2019, dynamic import, BigInt and public class fields; these came with 80 to 94. */
const tooNewSyntax: { [words: string]: (node: Node & Record<string, unknown>) => boolean } = {
  'optional chaining': (node) => node.type === 'ChainExpression',
  'nullish coalescing': (node) => node.type === 'LogicalExpression' && node.operator === '??',
  'logical assignment': (node) => node.type === 'AssignmentExpression' && ['??=', '||=', '&&='].includes(String(node.operator)),
  'private methods': (node) => node.type === 'MethodDefinition' && isPrivate(node.key),
  'private membership test': (node) => node.type === 'BinaryExpression' && isPrivate(node.left),
  'static blocks': (node) => node.type === 'StaticBlock',
};

function isPrivate(key: unknown): boolean {
  return typeof key === 'object' && key !== null && 'type' in key && key.type === 'PrivateIdentifier';
}

/** The kinds of syntax in `code` that Chromium 79 cannot parse. */
export function findTooNewSyntax(code: string, sourceType: 'script' | 'module'): string[] {
  const found = new Set<string>();
  visit(parse(code, { ecmaVersion: 2022, sourceType }), (node) => {
    for (const [words, matches] of Object.entries(tooNewSyntax)) if (matches(node)) found.add(words);
  });
  return [...found];
}

function visit(value: unknown, look: (node: Node & Record<string, unknown>) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, look);
  if (!isNode(value)) return;
  look(value);
  for (const child of Object.values(value)) if (typeof child === 'object') visit(child, look);
}

function isNode(value: unknown): value is Node & Record<string, unknown> {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

const tooNewProperties = new Set(['aspect-ratio', 'inset', 'translate', 'rotate', 'scale', 'container-type', 'accent-color', 'inset-inline', 'inset-block']);
const tooNewValues = /\b(\d*\.?\d+)(dvh|svh|lvh|dvw|svw|lvw|cqw|cqh)\b|color-mix\(|oklch\(|oklab\(/;
const tooNewSelectors = /:(is|where|has|focus-visible)\b|&/;

/** The style features in `css` that Chromium 79 ignores, each with where it stands. A fallback declared just before makes a newer value harmless. */
export function findTooNewStyles(css: string): string[] {
  const found: string[] = [];
  const root = postcss.parse(css);
  root.walkDecls((declaration) => {
    const where = declaration.parent?.type === 'rule' ? (declaration.parent as postcss.Rule).selector : 'at-rule';
    if (tooNewProperties.has(declaration.prop)) found.push(`${declaration.prop} in ${where}`);
    const before = declaration.prev();
    const hasFallback = before?.type === 'decl' && before.prop === declaration.prop;
    if (tooNewValues.test(declaration.value) && !hasFallback) found.push(`${declaration.value} in ${where}`);
    if (/^(gap|row-gap|column-gap)$/.test(declaration.prop) && isFlexContainer(declaration.parent)) found.push(`flex ${declaration.prop} in ${where}`);
  });
  root.walkRules((rule) => {
    if (tooNewSelectors.test(rule.selector)) found.push(rule.selector);
  });
  root.walkAtRules(/^(layer|container|property|scope)$/, (rule) => {
    found.push(`@${rule.name}`);
  });
  return found;
}

/** A gap is safe where the same rule makes a grid; anything else may be a flex box. */
function isFlexContainer(parent: postcss.Declaration['parent']): boolean {
  const displays: string[] = [];
  parent?.each((node) => {
    if (node.type === 'decl' && node.prop === 'display') displays.push(node.value);
  });
  return !displays.at(-1)?.includes('grid');
}

async function findFaults(folder: string): Promise<string[]> {
  const faults: string[] = [];
  for await (const file of glob('**/*.js', { cwd: folder })) {
    // The worker is one classic script; whatever the page loads by itself is plain ES5 and parses as either.
    const sourceType = file === 'sw.js' ? 'script' : 'module';
    faults.push(...findTooNewSyntax(await readFile(join(folder, file), 'utf8'), sourceType).map((fault) => `${file}: ${fault}`));
  }
  for (const [, script] of (await readFile(join(folder, 'index.html'), 'utf8')).matchAll(/<script>([\s\S]*?)<\/script>/g))
    faults.push(...findTooNewSyntax(script ?? '', 'script').map((fault) => `index.html: ${fault}`));
  for await (const file of glob('**/*.css', { cwd: folder }))
    faults.push(...findTooNewStyles(await readFile(join(folder, file), 'utf8')).map((fault) => `${file}: ${fault}`));
  return faults;
}

if (import.meta.main) {
  const faults = await findFaults(appFolder);
  for (const fault of faults) console.error(fault);
  console.log(`Engine floor: ${faults.length} faults.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
