import postcss from 'postcss';
import { expect, test } from 'vitest';
import { addStyleFallbacks, withoutComparisons } from '#scripts/style-fallbacks.ts';

test.each([
  ['min(1rem, 5vw)', '1rem'],
  ['0 max(var(--a), var(--b)) 0', '0 var(--a) 0'],
  ['min(max(9vw, 88px), 176px)', '9vw'],
  ['clamp(1rem, 2vw, 3rem)', '2vw'],
  ['calc(min(var(--a), 14vw) + min(1rem, 5vw))', 'calc(var(--a) + 1rem)'],
  ['min(30rem, calc(100% - 1rem))', '30rem'],
  ['max(1px + 2px, 3px)', 'calc(1px + 2px)'],
  ['max(calc((100vw - 2rem) / 6), 3px)', 'calc((100vw - 2rem) / 6)'],
  ['translate(-50%, 0)', 'translate(-50%, 0)'],
])('%s falls back to %s', (value, fallback) => {
  expect(withoutComparisons(value)).toBe(fallback);
});

test('the fallback comes before what newer engines take; custom properties, and what has a fallback, stay as they are', () => {
  const styles = (css: string) => postcss([addStyleFallbacks()]).process(css, { from: undefined }).css;
  expect(styles('.a { width: min(1px, 2vw); color: red }')).toBe('.a { width: 1px; width: min(1px, 2vw); color: red }');
  for (const css of ['.a { --b: min(1px, 2vw) }', '.a { width: 3px; width: min(1px, 2vw) }'])
    expect(styles(css)).toBe(css);
});
