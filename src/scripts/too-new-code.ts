import type { Node } from 'acorn';
import { parse } from 'acorn';

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

/** What `device/supply-polyfills.ts` supplies. */
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

/** Members and names that came with 69 to 137, and by which nothing of our own is called. */
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
 * The functions that `code` calls on and Chromium 68 lacks. What the code asks for first (`typeof x`, `'x' in owner`)
 * it can do without.
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

/** `clients.matchAll` of a worker is as old as workers are. */
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
