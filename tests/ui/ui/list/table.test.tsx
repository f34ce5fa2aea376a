import { Pencil } from 'lucide-react';
import { act, useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { startRemoteFocus } from '#app/platform/input/remote-focus.ts';
import { IconButton } from '#app/ui/button.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { draw } from '../../draw.tsx';
import { focusedName, pressKey, pressKeys } from '../../keys.ts';
import { withRemote } from '../../with-remote.ts';

interface Tag {
  id: string;
  name: string;
  videos: number;
}

const tags: Tag[] = [
  { id: 'a', name: 'Aurora', videos: 38 },
  { id: 'c', name: 'Cities', videos: 214 },
];
const columns: Column<Tag>[] = [
  { title: 'Name', inList: 'name', cell: ({ name }) => name },
  { title: 'Videos', inList: 'fact', isNumber: true, cell: ({ videos }) => videos },
];
const edit = vi.fn();
withRemote(startRemoteFocus);
afterEach(() => void edit.mockReset());

function Tags() {
  const [ids, setIds] = useState<string[]>([]);
  const toggle = (id: string) => setIds(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]);
  const toggleAll = () => setIds(ids.length === tags.length ? [] : tags.map(({ id }) => id));
  return (
    <Table
      label="Tags"
      columns={columns}
      rows={tags}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      selection={{ ids, onToggle: toggle, onToggleAll: toggleAll }}
      actions={({ id, name }) => (
        <IconButton label={`Edit ${name}`} icon={<Pencil aria-hidden="true" />} onPress={() => edit(id)} />
      )}
    />
  );
}

const boxes = () => [...document.querySelectorAll('input')];
const marks = () => boxes().map((box) => (box.indeterminate ? 'mixed' : box.checked));

test('it is a table to screen readers, also where it is laid out as a list', async () => {
  await draw(<Tags />);
  const text = (role: string) => [...document.querySelectorAll(`[role="${role}"]`)].map((cell) => cell.textContent);
  expect(document.querySelector('[role="table"]')?.getAttribute('aria-label')).toBe('Tags');
  expect(text('columnheader').slice(1)).toEqual(['Name', 'Videos', 'Actions']);
  expect(text('rowheader')).toEqual(['Aurora', 'Cities']);
  expect(document.querySelectorAll('[role="row"]')).toHaveLength(3);
  expect(document.querySelectorAll('tbody [role="row"]:first-child [role="cell"]')).toHaveLength(3);
});

test('by keys: each box is named by its row, and the box of all is mixed while some are selected', async () => {
  await draw(<Tags />);
  expect(boxes().map((box) => box.getAttribute('aria-label'))).toEqual([
    'Select all',
    'Select Aurora',
    'Select Cities',
  ]);
  boxes()[1]!.focus();
  await pressKey(' ');
  expect(marks()).toEqual(['mixed', true, false]);
  boxes()[0]!.focus();
  await pressKey(' ');
  expect(marks()).toEqual([true, true, true]);
  await pressKey(' ');
  expect(marks()).toEqual([false, false, false]);
});

test('with a remote, arrows go from row to row and OK ticks and presses', async () => {
  document.documentElement.dataset.form = 'tv';
  await draw(<Tags />);
  boxes()[0]!.focus();
  await pressKeys('ArrowDown', 'Enter');
  expect([focusedName(), marks()]).toEqual(['Select Aurora', ['mixed', true, false]]);
  await pressKeys('ArrowDown', 'Enter');
  expect(focusedName()).toBe('Edit Aurora');
  expect(edit).toHaveBeenCalledWith('a');
});

test('with a remote, Left and Right stay in their row, also where something outside of the table is nearer', async () => {
  document.documentElement.dataset.form = 'tv';
  await draw(
    <>
      <button type="button">Search</button>
      <Tags />
    </>,
  );
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    if (this.textContent === 'Search') return new DOMRect(0, 0, 900, 44);
    const row = tags.findIndex(({ name }) => this.getAttribute('aria-label')?.endsWith(name)) + 1;
    return new DOMRect(this.tagName === 'BUTTON' ? 1600 : 0, 100 + row * 50, 44, 44);
  });
  boxes()[1]!.focus();
  await pressKey('ArrowRight');
  expect(focusedName()).toBe('Edit Aurora');
  await pressKey('ArrowLeft');
  expect(focusedName()).toBe('Select Aurora');
});

test('when the button that has the focus is removed without a key, a neighbour in the table gets it', async () => {
  vi.useFakeTimers();
  await draw(<Tags />);
  document.documentElement.dataset.input = 'remote';
  const [first] = document.querySelectorAll<HTMLButtonElement>('button[aria-label^="Edit"]');
  await act(async () => first?.focus());
  await act(() => vi.advanceTimersByTimeAsync(50));
  await act(async () => first?.remove());
  await act(() => vi.advanceTimersByTimeAsync(50));
  expect(document.activeElement?.closest('[role="row"]')).toBeTruthy();
  expect(document.activeElement).not.toBe(first);
  vi.useRealTimers();
});
