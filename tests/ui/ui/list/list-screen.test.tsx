import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { beforeEach, expect, test } from 'vitest';
import { HttpError, NetworkError } from '#app/platform/http/send.ts';
import { recovered } from '#app/platform/link.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { Button } from '#app/ui/button.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { SearchField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import type { ListQuestion } from '#app/ui/list/list-state.ts';
import { faceOf } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { confirmations } from '#contract/confirmations.ts';
import { failures } from '#contract/failures.ts';
import { button, draw, press, settle } from '../../draw.tsx';
import { focusedName, pressKey, pressKeys, type } from '../../keys.ts';
import { withRemote } from '../../with-remote.ts';

interface Tag {
  id: string;
  name: string;
}

let stored: Tag[];
let fault: Error | null;

const load = async ({ page, search }: ListQuestion<object>) => {
  if (fault) throw fault;
  const found = stored.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  return { items: found.slice((page - 1) * 2, page * 2), total: found.length };
};

const list = createPagedList<Tag, object>({
  limit: 2,
  filters: {},
  load,
  idOf: ({ id }) => id,
  toSentence: failures.loadTags,
});

const removeSelected = () =>
  Promise.all(
    list.state.selectedIds.map((id) =>
      list.change(
        (items) => items.filter((item) => item.id !== id),
        async () => {
          stored = stored.filter((tag) => tag.id !== id);
        },
      ),
    ),
  );

/** As a screen is made of the parts: a list, a search, a table, a confirmation and pages. */
function Tags() {
  const state = useSnapshot(list.state, { sync: true });
  const [isAsked, setAsked] = useState(false);
  useEffect(() => list.open(), []);
  const confirm = () => {
    setAsked(false);
    void removeSelected();
  };
  return (
    <main>
      <SearchField
        label="Search tags"
        value={state.search}
        onChange={(text) => list.typeSearch(text)}
        onApply={() => list.applySearch()}
        onClear={() => list.clearSearch()}
      />
      {state.selectedIds.length > 0 && (
        <Button kind="danger-fill" label="Delete Selected" onPress={() => setAsked(true)} />
      )}
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void list.reload()}
        empty={<h2>{state.search === '' ? 'No Tags Found' : 'No tags match your search'}</h2>}
      >
        <Table
          label="Tags"
          columns={[{ title: 'Name', inList: 'name', cell: ({ name }) => name }]}
          rows={state.items}
          idOf={({ id }) => id}
          nameOf={({ name }) => name}
          selection={{ ids: state.selectedIds, onToggle: (id) => list.toggle(id), onToggleAll: () => list.toggleAll() }}
          isBusy={state.isLoading}
        />
      </ListBody>
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => list.goTo(page)}
        note={`Showing ${state.items.length} of ${state.total} tags`}
      />
      {isAsked && (
        <ConfirmDialog
          title="Delete Tags"
          sentence={confirmations.deleteTags(state.selectedIds.length)}
          action="Delete"
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        />
      )}
    </main>
  );
}

withRemote(watchRemote);
beforeEach(() => {
  fault = null;
  stored = ['Aurora', 'Cities', 'Clouds', 'Concerts', 'Desert'].map((name) => ({ id: name, name }));
});

const rows = () => [...document.querySelectorAll('tbody th')].map((cell) => cell.textContent);
const focusField = () => settle(() => document.querySelector<HTMLInputElement>('[role="search"] input')?.focus());

test('by keys: it is searched with Enter, and says so when nothing matches', async () => {
  await draw(<Tags />);
  expect(rows()).toEqual(['Aurora', 'Cities']);
  await focusField();
  await type('clo');
  await pressKey('Enter');
  expect(rows()).toEqual(['Clouds']);
  await type('xyz');
  await pressKey('Enter');
  expect(document.querySelector('h2')?.textContent).toBe('No tags match your search');
  await press('Clear');
  expect(rows()).toEqual(['Aurora', 'Cities']);
});

test('with a remote: the page is selected, deleted after a question, and filled up again', async () => {
  document.documentElement.dataset.form = 'tv';
  await draw(<Tags />);
  await focusField();
  await pressKeys('ArrowDown', 'Enter');
  expect(focusedName()).toBe('Select all');
  await pressKeys('ArrowUp', 'Enter');
  expect(document.querySelector('[role="alertdialog"] p')?.textContent).toBe(
    'Are you sure you want to delete 2 tags? This action cannot be undone.',
  );
  await pressKeys('ArrowDown', 'Enter');
  expect([rows(), document.querySelector('[role="alertdialog"]')]).toEqual([['Clouds', 'Concerts'], null]);
  expect(document.body.textContent).toContain('Showing 2 of 3 tags');
});

test('the pages are walked through, and a page that is gone leads to the last one', async () => {
  await draw(<Tags />);
  await press('Next');
  await press('Next');
  expect([rows(), button('Next').disabled]).toEqual([['Desert'], true]);
  await settle(() => list.toggleAll());
  await settle(() => void removeSelected());
  await settle();
  expect([rows(), document.querySelector('[role="status"]')?.textContent]).toEqual([
    ['Clouds', 'Concerts'],
    'Page 2 of 2',
  ]);
});

test('a failed load stands there as an alert, with a way to try again', async () => {
  fault = new HttpError(500, 'Internal');
  await draw(<Tags />);
  expect(document.querySelector('[role="alert"]')?.textContent).toContain('Failed to load tags: Internal');
  fault = null;
  await press('Retry');
  expect([rows(), document.querySelector('[role="alert"]')]).toEqual([['Aurora', 'Cities'], null]);
});

test('without a network it waits, and comes by itself', async () => {
  fault = new NetworkError();
  await draw(<Tags />);
  expect(document.querySelector('[role="status"]')?.textContent).toBe('Waiting for network');
  fault = null;
  await settle(() => recovered.emit());
  expect(rows()).toEqual(['Aurora', 'Cities']);
});
