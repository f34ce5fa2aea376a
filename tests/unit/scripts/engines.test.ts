import { describe, expect, test } from 'vitest';
import { findTooNewStyles, findTooNewSyntax } from '#scripts/check-engines.ts';

describe('what Chromium 79 cannot parse is refused', () => {
  test.each([
    ['a?.b', 'optional chaining'],
    ['a?.[0]?.()', 'optional chaining'],
    ['a ?? b', 'nullish coalescing'],
    ['a ??= b', 'logical assignment'],
    ['a ||= b', 'logical assignment'],
    ['class A { #b() {} }', 'private methods'],
    ['class A { static { b(); } }', 'static blocks'],
    ['class A { #b = 1; has(a) { return #b in a } }', 'private membership test'],
  ])('%s', (code, words) => {
    expect(findTooNewSyntax(code, 'module')).toEqual([words]);
  });

  test.each([
    'class A { b = 1; static c = 2 }',
    'import("./a.js")',
    'async () => { for await (const a of b); }',
    'a || b',
    'const { a, ...b } = c; [...d]',
    '10n ** 2n',
  ])('%s passes', (code) => {
    expect(findTooNewSyntax(code, 'module')).toEqual([]);
  });
});

describe('what Chromium 79 ignores in a style sheet is refused', () => {
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
  ])('%s', (css) => {
    expect(findTooNewStyles(css)).not.toEqual([]);
  });

  test.each([
    '.a { display: grid; gap: 1px }',
    '.a { height: 100vh; height: 100dvh }',
    '.a { transform: translate(1px) }',
    'html[data-input="key"] :focus { outline: 0 }',
  ])('%s passes', (css) => {
    expect(findTooNewStyles(css)).toEqual([]);
  });
});
