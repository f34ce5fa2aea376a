// Refuses built files that Chromium 68 cannot run: syntax that it cannot parse, functions that neither it nor the
// polyfills have, and style features that it ignores. The build cannot transform these.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node } from 'acorn';
import { parse } from 'acorn';
import postcss from 'postcss';
import { appFolder } from './build-stamp.ts';
import { comparison, hasFallback } from './style-fallbacks.ts';

/** Chromium 68 parses ECMAScript 2018, dynamic import, `import.meta` and BigInt; these came with 69 to 112. */
const tooNewSyntax: { [words: string]: (node: Node & Record<string, unknown>) => boolean } = {
  'class fields': (node) => node.type === 'PropertyDefinition',
  'private methods': (node) => node.type === 'MethodDefinition' && isPrivate(node.key),
  'top-level await': (node) => node.type === 'Program' && hasTopLevelAwait(node.body),
  'numeric separators': (node) =>
    node.type === 'Literal' && typeof node.value === 'number' && String(node.raw).includes('_'),
  'regular expression flags': (node) =>
    node.type === 'Literal' && 'regex' in node && /[dv]/.test((node.regex as { flags: string }).flags),
  'a name for a re-exported module': (node) => node.type === 'ExportAllDeclaration' && node.exported !== null,
  'optional chaining': (node) => node.type === 'ChainExpression',
  'nullish coalescing': (node) => node.type === 'LogicalExpression' && node.operator === '??',
  'logical assignment': (node) =>
    node.type === 'AssignmentExpression' && ['??=', '||=', '&&='].includes(String(node.operator)),
  'private membership test': (node) => node.type === 'BinaryExpression' && isPrivate(node.left),
  'static blocks': (node) => node.type === 'StaticBlock',
};

function isPrivate(key: unknown): boolean {
  return typeof key === 'object' && key !== null && 'type' in key && key.type === 'PrivateIdentifier';
}

/** The kinds of syntax in `code` that Chromium 68 cannot parse. */
export function findTooNewSyntax(code: string, sourceType: 'script' | 'module'): string[] {
  const found = new Set<string>();
  visit(parse(code, { ecmaVersion: 2025, sourceType }), (node) => {
    for (const [words, matches] of Object.entries(tooNewSyntax)) if (matches(node)) found.add(words);
  });
  return [...found];
}

/** The functions that `device/supply-polyfills.ts` adds. */
export const supplied: readonly string[] = [
  'globalThis',
  'queueMicrotask',
  'hasOwn',
  'fromEntries',
  'allSettled',
  'flat',
  'flatMap',
  'at',
];

/** Names that Chromium 69 to 137 introduced. The app calls nothing of its own by these names. */
const tooNewNames = new Set([
  ...supplied,
  ...[
    'matchAll',
    'replaceAll',
    'findLast',
    'findLastIndex',
    'toSorted',
    'toReversed',
    'toSpliced',
    'groupBy',
    'withResolvers',
    'isWellFormed',
  ],
  ...[
    'structuredClone',
    'reportError',
    'WeakRef',
    'FinalizationRegistry',
    'AggregateError',
    'CompressionStream',
    'DecompressionStream',
  ],
  ...[
    'toggleAttribute',
    'replaceChildren',
    'randomUUID',
    'ListFormat',
    'RelativeTimeFormat',
    'DisplayNames',
    'Segmenter',
    'fromAsync',
  ],
]);

/**
 * Lists the functions that `code` uses and Chromium 68 lacks. A function that the code tests for (`typeof x`,
 * `'x' in owner`) is optional and not listed.
 * @param isSupplied whether the polyfills have been loaded before this code runs
 */
export function findTooNewNames(code: string, sourceType: 'script' | 'module', isSupplied: boolean): string[] {
  const [used, askedFor] = [new Set<string>(), new Set<string>(isSupplied ? supplied : [])];
  visit(parse(code, { ecmaVersion: 2025, sourceType }), (node) => {
    if (node.type === 'UnaryExpression' && node.operator === 'typeof') addName(askedFor, node.argument);
    if (node.type === 'BinaryExpression' && node.operator === 'in') addText(askedFor, node.left);
    if (node.type === 'MemberExpression' && node.computed === false && !isClientList(node))
      addName(used, node.property);
    if (node.type === 'CallExpression' || node.type === 'NewExpression') addName(used, node.callee);
    if (node.type === 'MemberExpression') addName(used, node.object);
  });
  return [...used].filter((name) => tooNewNames.has(name) && !askedFor.has(name)).sort();
}

/** Service workers have always had `clients.matchAll`. */
function isClientList({ object, property }: Record<string, unknown>): boolean {
  const names = new Set<string>();
  addName(names, property);
  if (!names.has('matchAll') || !isNode(object) || object.type !== 'MemberExpression') return false;
  addName(names, object.property);
  return names.has('clients');
}

function addName(names: Set<string>, node: unknown): void {
  if (isNode(node) && node.type === 'Identifier') names.add(String(node.name));
}

function addText(names: Set<string>, node: unknown): void {
  if (isNode(node) && (node.type === 'Literal' || node.type === 'TemplateLiteral'))
    names.add(node.type === 'Literal' ? String(node.value) : textOf(node));
}

function textOf({ quasis }: Record<string, unknown>): string {
  return (quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('');
}

function hasTopLevelAwait(body: unknown): boolean {
  let isFound = false;
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) look(item);
    if (!isNode(value) || /Function|ClassBody/.test(value.type)) return;
    if (value.type === 'AwaitExpression' || (value.type === 'ForOfStatement' && value.await === true)) isFound = true;
    for (const child of Object.values(value)) if (typeof child === 'object') look(child);
  };
  look(body);
  return isFound;
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

const tooNewProperties = new Set([
  'aspect-ratio',
  'inset',
  'translate',
  'rotate',
  'scale',
  'container-type',
  'accent-color',
  'inset-inline',
  'inset-block',
]);
const tooNewValues =
  /\b(\d*\.?\d+)(dvh|svh|lvh|dvw|svw|lvw|cqw|cqh)\b|color-mix\(|oklch\(|oklab\(|\benv\(|conic-gradient\(/;
const tooNewSelectors = /:(is|where|has|focus-visible)\b|&/;

/**
 * Lists the style features in `css` that Chromium 68 ignores, each with its rule. A newer value is harmless if the
 * same rule declares a fallback before it.
 */
export function findTooNewStyles(css: string): string[] {
  const found: string[] = [];
  const root = postcss.parse(css);
  root.walkDecls((declaration) => {
    const where = declaration.parent?.type === 'rule' ? (declaration.parent as postcss.Rule).selector : 'at-rule';
    if (tooNewProperties.has(declaration.prop)) found.push(`${declaration.prop} in ${where}`);
    if (isTooNew(declaration.value) && !hasFallback(declaration) && !isAskedFor(declaration))
      found.push(`${declaration.value} in ${where}`);
    if (/^(gap|row-gap|column-gap)$/.test(declaration.prop) && isFlexContainer(declaration.parent))
      found.push(`flex ${declaration.prop} in ${where}`);
  });
  root.walkRules((rule) => {
    if (tooNewSelectors.test(rule.selector)) found.push(rule.selector);
  });
  root.walkAtRules(/^(layer|container|property|scope)$/, (rule) => {
    found.push(`@${rule.name}`);
  });
  return found;
}

function isTooNew(value: string): boolean {
  return tooNewValues.test(value) || comparison.test(value);
}

/** Whether the declaration is inside an `@supports` that tests for such a value. */
function isAskedFor({ parent }: postcss.Declaration): boolean {
  for (
    let node: postcss.Container | postcss.Document | undefined = parent as postcss.Container | undefined;
    node !== undefined;
    node = node.parent
  )
    if (
      node.type === 'atrule' &&
      (node as postcss.AtRule).name === 'supports' &&
      isTooNew((node as postcss.AtRule).params)
    )
      return true;
  return false;
}

/** A rule without `display: grid` may apply to a flex container, where Chromium 68 ignores gaps. */
function isFlexContainer(parent: postcss.Declaration['parent']): boolean {
  const displays: string[] = [];
  parent?.each((node) => {
    if (node.type === 'decl' && node.prop === 'display') displays.push(node.value);
  });
  return !displays.at(-1)?.includes('grid');
}

/** Scripts that run before the polyfills: those of the page itself, and the module that loads the polyfills. */
const first = /^assets\/(index|first)-/;

function findScriptFaults(code: string, sourceType: 'script' | 'module', isSupplied: boolean): string[] {
  return [...findTooNewSyntax(code, sourceType), ...findTooNewNames(code, sourceType, isSupplied)];
}

async function findFaults(folder: string): Promise<string[]> {
  const faults: string[] = [];
  const add = (file: string, found: string[]) => faults.push(...found.map((fault) => `${file}: ${fault}`));
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  for await (const file of glob('**/*.js', { cwd: folder })) {
    // The worker is one classic script. The page's own script is ES5, which parses as a script and as a module.
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
