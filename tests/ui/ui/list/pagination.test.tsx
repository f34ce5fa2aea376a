import { useState } from 'react';
import { expect, test } from 'vitest';
import { startRemoteFocus } from '#app/platform/input/remote-focus.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { button, draw, press } from '../../draw.tsx';
import { focusedName, pressKey, pressKeys, type } from '../../keys.ts';
import { withRemote } from '../../with-remote.ts';

withRemote(startRemoteFocus);

function Pages({
  start = 1,
  lastPage,
  kind = 'numbered',
}: {
  start?: number;
  lastPage: number;
  kind?: 'plain' | 'numbered';
}) {
  const [page, setPage] = useState(start);
  return <Pagination page={page} lastPage={lastPage} kind={kind} note="Showing 20 of 83 tags" onGo={setPage} />;
}

const status = () => document.querySelector('[role="status"]')?.textContent;
const marks = () => [...document.querySelectorAll('ol li')].map((mark) => mark.textContent);
const current = () => document.querySelector('[aria-current="page"]')?.textContent;

test('a list of one page has none', async () => {
  const screen = await draw(<Pages lastPage={1} />);
  expect(screen.textContent).toBe('');
});

test('the plain one says where it is, and its ends lead nowhere', async () => {
  await draw(<Pages lastPage={2} kind="plain" />);
  expect([status(), button('Previous').disabled, button('Next').disabled]).toEqual(['Page 1 of 2', true, false]);
  await press('Next');
  expect([status(), button('Previous').disabled, button('Next').disabled]).toEqual(['Page 2 of 2', false, true]);
});

test.each([
  ['up to 7 pages all stand there', 7, 4, '1 2 3 4 5 6 7'],
  ['above, the first, the last and two on both sides', 107, 7, '1 … 5 6 7 8 9 … 107'],
  ['at the start', 107, 1, '1 2 3 … 107'],
  ['at the end', 107, 107, '1 … 105 106 107'],
])('numbers: %s', async (_, lastPage, start, expected) => {
  await draw(<Pages lastPage={lastPage} start={start} />);
  expect([marks().join(' '), current()]).toEqual([expected, String(start)]);
});

test('every number is named, and the current one says that it is', async () => {
  await draw(<Pages lastPage={3} />);
  await press('Page 3');
  expect([current(), status(), button('Next page').disabled, button('Last page').disabled]).toEqual([
    '3',
    'Page 3 of 3',
    true,
    true,
  ]);
  await press('First page');
  expect(current()).toBe('1');
});

test('above 20 pages ten can be skipped at once, but not beyond the ends', async () => {
  await draw(<Pages lastPage={20} />);
  expect(document.body.textContent).not.toContain('Quick jump');
  await draw(<Pages lastPage={21} start={5} />);
  await press('+10 pages');
  expect(status()).toBe('Page 1 of 20');
  expect(document.querySelectorAll('[role="status"]')[1]?.textContent).toBe('Page 15 of 21');
  await press('+10 pages');
  expect([document.querySelectorAll('[role="status"]')[1]?.textContent, button('+10 pages').disabled]).toEqual([
    'Page 21 of 21',
    true,
  ]);
});

test.each(['0', '22', '1.5', 'x', ''])("'%s' is no page: the field is cleared and the page stays", async (text) => {
  await draw(<Pages lastPage={21} />);
  const field = document.querySelector('input') as HTMLInputElement;
  field.focus();
  await type(text);
  await pressKey('Enter');
  expect([field.value, status()]).toEqual(['', 'Page 1 of 21']);
});

test('a page that was typed is gone to, and another way to a page clears what was typed', async () => {
  await draw(<Pages lastPage={21} />);
  const field = document.querySelector('input') as HTMLInputElement;
  field.focus();
  expect(focusedName()).toBe('Go to page');
  await type(' 12 ');
  await pressKey('Enter');
  expect([field.value, status()]).toEqual(['', 'Page 12 of 21']);
  expect(document.activeElement).toBe(field);
  await type('3');
  await press('Next page');
  expect([field.value, status()]).toEqual(['', 'Page 13 of 21']);
});

test('with a remote, arrows and OK walk through the pages', async () => {
  document.documentElement.dataset.form = 'tv';
  await draw(<Pages lastPage={9} start={4} />);
  button('Previous page').focus();
  await pressKeys('ArrowDown', 'ArrowDown');
  expect(focusedName()).toBe('Page 2');
  await pressKey('Enter');
  expect(status()).toBe('Page 2 of 9');
});
