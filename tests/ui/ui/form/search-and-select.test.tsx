import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { watchRemote } from '#app/shell/remote.ts';
import { Select } from '#app/ui/form/select.tsx';
import { SearchField } from '#app/ui/form/text-field.tsx';
import { draw, press, settle } from '../../draw.tsx';
import { focusedName, pressKey, pressKeys, type } from '../../keys.ts';
import { withRemote } from '../../with-remote.ts';

const onApply = vi.fn();
withRemote(watchRemote);
afterEach(() => void onApply.mockReset());

function Search() {
  const [text, setText] = useState('');
  return (
    <SearchField
      label="Search channels..."
      value={text}
      onChange={setText}
      onApply={() => onApply(text)}
      onClear={() => setText('')}
    />
  );
}

test('a search field is named, applied by Enter, and cleared with the focus back in it', async () => {
  const screen = await draw(<Search />);
  const field = screen.querySelector('input') as HTMLInputElement;
  field.focus();
  expect([focusedName(), field.placeholder, screen.querySelector('[role="search"]')?.contains(field)]).toEqual([
    'Search channels...',
    'Search channels...',
    true,
  ]);
  expect(screen.querySelector('button')).toBeNull();
  await type('aurora');
  await pressKey('Enter');
  expect(onApply).toHaveBeenCalledWith('aurora');
  await press('Clear');
  expect([field.value, document.activeElement === field, screen.querySelector('button')]).toEqual(['', true, null]);
});

const options = [
  { value: 'name', label: 'Name' },
  { value: 'created_at', label: 'Date' },
  { value: 'video_count', label: 'Usage' },
];

function Sort() {
  const [value, setValue] = useState('created_at');
  return <Select label="Sort by" options={options} value={value} onChange={setValue} />;
}

test("a select is the browser's own, with its label", async () => {
  const screen = await draw(<Sort />);
  const select = screen.querySelector('select') as HTMLSelectElement;
  expect([screen.querySelector(`label[for="${select.id}"]`)?.textContent, select.value]).toEqual([
    'Sort by',
    'created_at',
  ]);
  await settle(() => {
    select.value = 'video_count';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  expect(screen.querySelector('select')?.value).toBe('video_count');
});

test('on a TV it opens a dialog on the current value, and OK chooses', async () => {
  document.documentElement.dataset.form = 'tv';
  const screen = await draw(<Sort />);
  const opener = screen.querySelector('button') as HTMLButtonElement;
  const named = opener
    .getAttribute('aria-labelledby')
    ?.split(' ')
    .map((id) => document.getElementById(id)?.textContent);
  expect(named).toEqual(['Sort by', 'Date']);
  opener.focus();
  await pressKey('Enter');
  expect([...screen.querySelectorAll('li button')].map((one) => one.getAttribute('aria-pressed'))).toEqual([
    'false',
    'true',
    'false',
  ]);
  expect(document.activeElement).toBe(screen.querySelectorAll('li button')[1]);
  await pressKeys('ArrowDown', 'Enter');
  expect([screen.querySelector('[role="dialog"]'), opener.textContent, document.activeElement]).toEqual([
    null,
    'Usage',
    opener,
  ]);
});

test('on a TV Back leaves the value as it was', async () => {
  document.documentElement.dataset.form = 'tv';
  const screen = await draw(<Sort />);
  const opener = screen.querySelector('button') as HTMLButtonElement;
  opener.focus();
  await pressKeys('Enter', 'ArrowDown', 'Escape');
  expect([screen.querySelector('[role="dialog"]'), opener.textContent, document.activeElement]).toEqual([
    null,
    'Date',
    opener,
  ]);
});

test.each(['desktop', 'tv'])('a refused value says why, below it and to screen readers, on %s', async (form) => {
  document.documentElement.dataset.form = form;
  const options = [{ value: 'name', label: 'Name' }];
  const screen = await draw(
    <Select label="Sort by" options={options} value="name" onChange={() => {}} problem="It cannot be sorted" />,
  );
  const described = screen.querySelector('select, button')?.getAttribute('aria-describedby') ?? '';
  expect([
    document.getElementById(described)?.textContent,
    screen.querySelector('[role="alert"]')?.textContent,
  ]).toEqual(['It cannot be sorted', 'It cannot be sorted']);
});
