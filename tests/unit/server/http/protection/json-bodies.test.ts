import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNestedDeeper } from '#server/http/pipeline/request-parsing.ts';

test.each([
  ['[]', 1, false],
  ['[]', 0, true],
  ['{"a":[{"b":[]}]}', 4, false],
  ['{"a":[{"b":[]}]}', 3, true],
  ['[[],[],[]]', 2, false],
  ['"[[[[["', 0, false],
  ['{"a":"\\"[[[[","b":"\\\\"}', 1, false],
  ['{"a":"\\\\\\"[[[["}', 1, false],
  ['["\\\\",[[]]]', 2, true],
  ['[[[[', 3, true],
  ['', 0, false],
])('%s is nested deeper than %d: %s', (json, most, expected) => {
  expect(isNestedDeeper(json, most)).toBe(expected);
});

test('what is nested 150,000 deep is known by its beginning', () => {
  expect(isNestedDeeper('['.repeat(150_000), 32)).toBe(true);
  expect(isNestedDeeper('{"a":'.repeat(150_000), 32)).toBe(true);
});

test('the depth of any JSON is that of what it says', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 8 }), (value, most) => {
      expect(isNestedDeeper(JSON.stringify(value), most)).toBe(depthOf(value) > most);
    }),
  );
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
