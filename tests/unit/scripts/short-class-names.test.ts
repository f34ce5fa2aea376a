import { expect, test } from 'vitest';
import { createNames } from '#scripts/short-class-names.ts';

const sheets = ['ui/modal.module.css', 'feed/quadrant.module.css'];

test('classes of the same name in two style sheets get different names', () => {
  const nameClass = createNames(sheets);
  expect(nameClass('ui/modal.module.css', 'title')).not.toBe(nameClass('feed/quadrant.module.css', 'title'));
});

test('a class has one name, and no other class of its sheet has it', () => {
  const nameClass = createNames(sheets);
  const names = ['title', 'body', 'title'].map((name) => nameClass('ui/modal.module.css', name));
  expect(names[2]).toBe(names[0]);
  expect(names[1]).not.toBe(names[0]);
});

test('the order in which the style sheets are built changes no name', () => {
  const [one, other] = [createNames(sheets), createNames(sheets.toReversed())];
  const here = sheets.map((sheet) => one(sheet, 'title'));
  const there = sheets.toReversed().map((sheet) => other(sheet, 'title'));
  expect(there.toReversed()).toEqual(here);
});

test('a style sheet that was not listed ends the build', () => {
  expect(() => createNames(sheets)('ui/new.module.css', 'title')).toThrow('ui/new.module.css');
});
