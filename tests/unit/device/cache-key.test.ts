import { expect, test } from 'vitest';
import { toCacheKey } from '#device/filter-cache.ts';

const list = '/api/videos/by-tags';

test.each([
  ['the order of its parameters', `${list}?tag_ids=a&limit=100`, `${list}?limit=100&tag_ids=a`],
  ['the order of its ids', `${list}?tag_ids=a,b`, `${list}?tag_ids=b,a`],
  ['how its commas travel', `${list}?tag_ids=a%2Cb`, `${list}?tag_ids=a,b`],
])('calls that differ in %s have one answer', (_, one, other) => {
  expect(toCacheKey(one)).toBe(toCacheKey(other));
});

test.each([
  ['path', '/api/tags?page=1', `${list}?page=1`],
  ['value', `${list}?page=1`, `${list}?page=2`],
  ['filter', `${list}?tag_ids=a`, `${list}?blocked_tag_ids=a`],
  ['search', '/api/tags?search=a,b', '/api/tags?search=b,a'],
])('calls with another %s have answers of their own', (_, one, other) => {
  expect(toCacheKey(one)).not.toBe(toCacheKey(other));
});
