import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findTooNewNames, findTooNewStyles, findTooNewSyntax, supplied } from '#scripts/check-engines.ts';

describe('what Chromium 68 cannot parse is refused', () => {
  test.each([
    ['a?.b', 'optional chaining'],
    ['a?.[0]?.()', 'optional chaining'],
    ['a ?? b', 'nullish coalescing'],
    ['a ??= b', 'logical assignment'],
    ['a ||= b', 'logical assignment'],
    ['class A { #b() {} }', 'private methods'],
    ['class A { static { b(); } }', 'static blocks'],
    ['class A { b = 1 }', 'class fields'],
    ['class A { static b }', 'class fields'],
    ['await a', 'top-level await'],
    ['{ for await (const a of b); }', 'top-level await'],
    ['a = 1_000', 'numeric separators'],
    ['a = /b/v', 'regular expression flags'],
    ['a = /b/dg', 'regular expression flags'],
    ['export * as a from "./a.js"', 'a name for a re-exported module'],
  ])('%s', (code, words) => {
    expect(findTooNewSyntax(code, 'module')).toEqual([words]);
  });

  test('a test for a private member, which needs one', () => {
    expect(findTooNewSyntax('class A { #b = 1; has(a) { return #b in a } }', 'module')).toEqual([
      'class fields',
      'private membership test',
    ]);
  });

  test.each([
    'import("./a.js"); import.meta.url',
    'async () => { await a; class A { async b() { await c } } }',
    'a = /(?<b>c)(?<=d)/su',
    'async () => { for await (const a of b); }',
    'a || b',
    'const { a, ...b } = c; [...d]',
    '10n ** 2n',
  ])('%s passes', (code) => {
    expect(findTooNewSyntax(code, 'module')).toEqual([]);
  });
});

describe('what Chromium 68 has no function for is refused', () => {
  test.each([
    ['a.matchAll(b)', 'matchAll'],
    ['a.replaceAll(b, c)', 'replaceAll'],
    ['structuredClone(a)', 'structuredClone'],
    ['new WeakRef(a)', 'WeakRef'],
    ['crypto.randomUUID()', 'randomUUID'],
    ['new Intl.ListFormat()', 'ListFormat'],
  ])('%s', (code, name) => {
    expect(findTooNewNames(code, 'module', true)).toEqual([name]);
  });

  test.each([
    'typeof structuredClone === "function" ? structuredClone(a) : b',
    'self.clients.matchAll()',
    '"randomUUID" in crypto ? crypto.randomUUID() : a',
    '`randomUUID` in crypto && crypto.randomUUID()',
    'const a = { replaceAll: 1 }',
  ])('%s passes', (code) => {
    expect(findTooNewNames(code, 'module', true)).toEqual([]);
  });

  test('what is supplied passes, but not before it is there', () => {
    const code = 'Object.fromEntries(a.flatMap(b)); globalThis.c';
    expect(findTooNewNames(code, 'module', true)).toEqual([]);
    expect(findTooNewNames(code, 'script', false)).toEqual(['flatMap', 'fromEntries', 'globalThis']);
  });

  test('all that passes as supplied is supplied', () => {
    const source = readFileSync('src/device/supply-polyfills.ts', 'utf8');
    expect([...source.matchAll(/\], '(\w+)', \w+\],/g)].map(([, name]) => name).sort()).toEqual([...supplied].sort());
  });
});

describe('what Chromium 68 ignores in a style sheet is refused', () => {
  test.each([
    '.a { display: flex; gap: 1px }',
    '.a { gap: 1px }',
    '.a { aspect-ratio: 16 / 9 }',
    '.a { inset: 0 }',
    '.a { height: 100dvh }',
    '.a { translate: 1px }',
    '.a:focus-visible { color: red }',
    '.a:has(b) { color: red }',
    ':is(.a, .b) { color: red }',
    '@layer a { .b { color: red } }',
    '.a { color: color-mix(in srgb, red, blue) }',
    '.a { width: min(1px, 2px) }',
    '.a { --b: max(1px, 2px) }',
    '.a { padding: env(safe-area-inset-top, 0px) }',
    '@supports (display: grid) { .a { --b: max(1px, 2px) } }',
  ])('%s', (css) => {
    expect(findTooNewStyles(css)).not.toEqual([]);
  });

  test.each([
    '.a { display: grid; gap: 1px }',
    '.a { height: 100vh; height: 100dvh }',
    '.a { width: 1px; color: red; width: min(1px, 2vw) }',
    '@supports (top: max(1px, 2px)) { .a { --b: max(1px, 2px) } }',
    '.a { transform: translate(1px) }',
    'html[data-input="key"] :focus { outline: 0 }',
  ])('%s passes', (css) => {
    expect(findTooNewStyles(css)).toEqual([]);
  });
});
