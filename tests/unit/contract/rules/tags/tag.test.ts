import { expect, test } from 'vitest';
import {
  checkAssignedTags,
  checkTagColor,
  checkTagDescription,
  checkTagName,
  colorOfName,
  tagPalette,
} from '#contract/rules/tag.ts';
import { countBytes, countCharacters, nameKey } from '#contract/rules/text.ts';

test.each([
  ['Ocean', null],
  ['a', null],
  ['', 'Tag name is required'],
  ['  ', 'Tag name is required'],
  ['a'.repeat(100), null],
  [` ${'a'.repeat(100)} `, null],
  ['a'.repeat(101), 'Tag name must be at most 100 characters'],
  ['🌊'.repeat(100), null],
])('the tag name %j is answered with %j', (name, sentence) => {
  expect(checkTagName(name)).toBe(sentence);
});

test.each([
  ['#3B82F6', null],
  ['#3b82f6', null],
  ['#000000', null],
  ['3B82F6', 'Color must be written like #3B82F6'],
  ['#3B82F', 'Color must be written like #3B82F6'],
  ['#3B82F6F', 'Color must be written like #3B82F6'],
  ['#GGGGGG', 'Color must be written like #3B82F6'],
  ['#3B82F6\n', 'Color must be written like #3B82F6'],
  ['red', 'Color must be written like #3B82F6'],
  ['red;background:url(//x)', 'Color must be written like #3B82F6'],
])('the color %j is answered with %j', (color, sentence) => {
  expect(checkTagColor(color)).toBe(sentence);
});

test('a description may be empty and up to 500 characters long', () => {
  expect(checkTagDescription('')).toBeNull();
  expect(checkTagDescription('a'.repeat(500))).toBeNull();
  expect(checkTagDescription('a'.repeat(501))).toBe('Description must be at most 500 characters');
  expect(checkTagDescription('two\nlines')).toBeNull();
  expect(checkTagDescription('a\0b')).toBe('Description must not contain hidden characters');
});

test('one to 200 tags can be assigned at once', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, place) => String(place));

  expect(checkAssignedTags(ids(0))).toBe('Select at least one tag');
  expect(checkAssignedTags(ids(1))).toBeNull();
  expect(checkAssignedTags(ids(200))).toBeNull();
  expect(checkAssignedTags(ids(201))).toBe('At most 200 tags can be assigned at once');
});

test.each([
  ['Ocean', 'oCEAN '],
  ['Café', 'Cafe\u0301'],
  ['Ｏcean', 'ocean'],
])('%j and %j are the same name', (one, other) => {
  expect(nameKey(one)).toBe(nameKey(other));
});

test('two names that differ in a letter are two names', () => {
  expect(nameKey('Ocean')).not.toBe(nameKey('Oceans'));
});

test.each([
  ['', 0, 0],
  ['abc', 3, 3],
  ['é', 1, 2],
  ['€', 1, 3],
  ['🎬', 1, 4],
  ['\u{d800}', 1, 3],
])('%j has %d characters and %d bytes', (text, characters, bytes) => {
  expect(countCharacters(text)).toBe(characters);
  expect(countBytes(text)).toBe(bytes);
  expect(new TextEncoder().encode(text)).toHaveLength(bytes);
});

test('names are given every color of the palette, and the same name always the same one', () => {
  const names = Array.from({ length: 200 }, (_, index) => `Folder ${index}`);
  const counts = tagPalette.map(({ value }) => names.filter((name) => colorOfName(name) === value).length);
  expect(Math.min(...counts)).toBeGreaterThan(10);
  expect(colorOfName('Café')).toBe(colorOfName('CAFE\u0301'));
});
