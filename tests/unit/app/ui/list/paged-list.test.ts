import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { HttpError, NetworkError } from '#app/platform/http/send.ts';
import { recovered } from '#app/platform/link.ts';
import type { ListQuestion } from '#app/ui/list/list-state.ts';
import { faceOf } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';

interface Tag {
  id: string;
  name: string;
}

type Filters = { order: 'asc' | 'desc' };

/** The server's side: its tags in order, and what each question was. */
let stored: Tag[];
let questions: ListQuestion<Filters>[];
let fault: Error | null;

const answer = async (question: ListQuestion<Filters>, _signal: AbortSignal) => {
  questions.push(question);
  if (fault) throw fault;
  const found = stored.filter(({ name }) => name.includes(question.search));
  return { items: found.slice((question.page - 1) * 2, question.page * 2), total: found.length };
};

const load = vi.fn(answer);

const open = () => {
  const list = createPagedList<Tag, Filters>({
    limit: 2,
    filters: { order: 'asc' },
    load,
    idOf: ({ id }) => id,
    toSentence: (error) => `Failed to load tags: ${(error as Error).message}`,
  });
  const close = list.open();
  onTestFinished(close);
  return { list, close };
};

/** Holds the next answer until the returned function gives it. */
const holdAnswer = () => {
  let give = (_page: Awaited<ReturnType<typeof answer>>) => {};
  load.mockReturnValueOnce(new Promise((resolve) => (give = resolve)));
  return (page: Awaited<ReturnType<typeof answer>>) => give(page);
};

const flush = () => vi.advanceTimersByTimeAsync(0);
const without = (id: string) => (items: readonly Tag[]) => items.filter((item) => item.id !== id);
const remove = (id: string) => async () => {
  if (fault) throw fault;
  stored = stored.filter((tag) => tag.id !== id);
};

async function openLoaded() {
  const opened = open();
  await flush();
  return opened;
}

const namesOf = (items: readonly Tag[]) => items.map(({ name }) => name);

beforeEach(() => {
  vi.useFakeTimers();
  stored = ['aurora', 'cities', 'clouds', 'concerts', 'desert'].map((name) => ({ id: name.slice(0, 3), name }));
  questions = [];
  fault = null;
  load.mockClear();
});

afterEach(() => vi.useRealTimers());

test('it loads its first page, and knows how many there are', async () => {
  const { list } = open();
  expect(faceOf(list.state)).toBe('loading');
  await flush();
  expect([faceOf(list.state), namesOf(list.state.items), list.state.total, list.state.lastPage]).toEqual([
    'items',
    ['aurora', 'cities'],
    5,
    3,
  ]);
});

test('a page that this device had stored says its age, and is asked for again when the network may be back', async () => {
  load.mockResolvedValueOnce({ items: stored.slice(0, 2), total: 5, cachedAt: 1_000 } as never);
  const { list } = await openLoaded();
  expect([list.state.cachedAt, namesOf(list.state.items)]).toEqual([1_000, ['aurora', 'cities']]);
  recovered.emit();
  await flush();
  expect([list.state.cachedAt, load.mock.calls.length]).toEqual([null, 2]);
  recovered.emit();
  expect(load.mock.calls.length).toBe(2);
});

test('a page that keeps coming from this device is asked for again at once, and then every 5 s at most', async () => {
  load.mockResolvedValue({ items: stored.slice(0, 2), total: 5, cachedAt: 1_000 } as never);
  const { close } = await openLoaded();
  const recover = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    recovered.emit();
    await flush();
    return load.mock.calls.length;
  };
  expect([await recover(0), await recover(1_000), await recover(3_999)]).toEqual([2, 2, 2]);
  await vi.advanceTimersByTimeAsync(1);
  expect(load.mock.calls.length).toBe(3);
  expect(await recover(1_000)).toBe(3);
  close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(load.mock.calls.length).toBe(3);
  load.mockReset().mockImplementation(answer);
});

test('a list that was closed before a change was answered is not loaded again', async () => {
  const { list, close } = await openLoaded();
  close();
  await list.reload();
  expect([questions.length, list.state.items]).toEqual([1, []]);
});

test('a list without items is empty', async () => {
  stored = [];
  const { list } = await openLoaded();
  expect([faceOf(list.state), list.state.total, list.state.lastPage]).toEqual(['empty', 0, 1]);
});

test('a failed load says why, and is repaired by another', async () => {
  fault = new HttpError(500, 'Internal');
  const { list } = await openLoaded();
  expect([faceOf(list.state), list.state.failure]).toEqual(['failed', 'Failed to load tags: Internal']);
  fault = null;
  await list.reload();
  expect([faceOf(list.state), list.state.failure]).toEqual(['items', null]);
});

test('without a network it is offline, and loads by itself once the server answers', async () => {
  fault = new NetworkError();
  const { list } = await openLoaded();
  expect([faceOf(list.state), list.state.failure]).toEqual(['offline', null]);
  fault = null;
  recovered.emit();
  await flush();
  expect(faceOf(list.state)).toBe('items');
  recovered.emit();
  await flush();
  expect(load).toHaveBeenCalledTimes(2);
});

test('pages are clamped, shown from memory when they were seen, and asked for again', async () => {
  const { list } = await openLoaded();
  list.goTo(99);
  await flush();
  expect([list.state.page, namesOf(list.state.items)]).toEqual([3, ['desert']]);
  list.goTo(1);
  expect(namesOf(list.state.items)).toEqual(['aurora', 'cities']);
  expect(list.state.isLoading).toBe(true);
  await flush();
  list.goTo(0);
  await flush();
  expect(questions.map(({ page }) => page)).toEqual([1, 3, 1]);
});

test('the page before stays in sight while the next one loads, but not when that fails', async () => {
  const { list } = await openLoaded();
  fault = new NetworkError();
  list.goTo(2);
  expect(namesOf(list.state.items)).toEqual(['aurora', 'cities']);
  await flush();
  expect([faceOf(list.state), list.state.page]).toEqual(['offline', 2]);
});

test('a search is sent 300 ms after the last key, from page 1, trimmed and once', async () => {
  const { list } = await openLoaded();
  list.goTo(2);
  await flush();
  list.typeSearch(' c');
  await vi.advanceTimersByTimeAsync(299);
  list.typeSearch(' cl ');
  await vi.advanceTimersByTimeAsync(299);
  expect(questions).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(questions[2]).toEqual({ page: 1, search: 'cl', filters: { order: 'asc' } });
  expect([list.state.search, namesOf(list.state.items)]).toEqual([' cl ', ['clouds']]);
  list.typeSearch('cl');
  await vi.advanceTimersByTimeAsync(300);
  expect(questions).toHaveLength(3);
});

test('Enter sends a search at once, and clearing it too', async () => {
  const { list } = await openLoaded();
  list.typeSearch('desert');
  list.applySearch();
  await vi.advanceTimersByTimeAsync(300);
  list.clearSearch();
  await flush();
  expect(questions.map(({ search }) => search)).toEqual(['', 'desert', '']);
});

test('a list that is searched on Enter sends nothing while typing', async () => {
  const list = createPagedList<Tag, Filters>({
    limit: 2,
    filters: { order: 'asc' },
    load,
    idOf: ({ id }) => id,
    toSentence: String,
    isSearchedOnEnter: true,
  });
  onTestFinished(list.open());
  list.typeSearch('desert');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(questions).toHaveLength(1);
  list.applySearch();
  expect(questions).toHaveLength(2);
});

test('other filters ask from page 1', async () => {
  const { list } = await openLoaded();
  list.goTo(2);
  list.filter({ order: 'desc' });
  await flush();
  expect(questions[2]).toEqual({ page: 1, search: '', filters: { order: 'desc' } });
});

test('a late reply to an older question is dropped, and its call aborted', async () => {
  const { list } = await openLoaded();
  let answer = (_: { items: Tag[]; total: number }) => {};
  load.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  list.goTo(2);
  const [, signal] = load.mock.calls[1]!;
  list.goTo(3);
  await flush();
  expect(signal.aborted).toBe(true);
  answer({ items: [{ id: 'late', name: 'late' }], total: 99 });
  await flush();
  expect([namesOf(list.state.items), list.state.total]).toEqual([['desert'], 5]);
});

test('the selection is of one page: all, none, and gone with the page', async () => {
  const { list } = await openLoaded();
  list.toggle('aur');
  expect(list.state.selectedIds).toEqual(['aur']);
  list.toggleAll();
  expect(list.state.selectedIds).toEqual(['aur', 'cit']);
  list.toggleAll();
  expect(list.state.selectedIds).toEqual([]);
  list.toggleAll();
  list.toggle('aur');
  expect(list.state.selectedIds).toEqual(['cit']);
  list.goTo(2);
  await flush();
  expect(list.state.selectedIds).toEqual([]);
});

test('what is removed leaves at once, and the page is filled up afterwards', async () => {
  const { list } = await openLoaded();
  const removal = list.change(without('aur'), remove('aur'));
  expect([namesOf(list.state.items), list.state.total]).toEqual([['cities'], 4]);
  await removal;
  await flush();
  expect([namesOf(list.state.items), list.state.total]).toEqual([['cities', 'clouds'], 4]);
});

test('what could not be removed comes back, selected as it was, and the error reaches the caller', async () => {
  const { list } = await openLoaded();
  list.toggle('aur');
  fault = new HttpError(403, 'Forbidden');
  const removal = list.change(without('aur'), remove('aur'));
  expect(list.state.selectedIds).toEqual([]);
  await expect(removal).rejects.toThrow('Forbidden');
  expect([namesOf(list.state.items), list.state.total, list.state.selectedIds]).toEqual([
    ['aurora', 'cities'],
    5,
    ['aur'],
  ]);
  await flush();
  expect(questions).toHaveLength(1);
});

test.each([404, 409])(
  'a change that is refused with %d, because others were faster, loads the page again',
  async (status) => {
    const { list } = await openLoaded();
    stored = stored.filter(({ id }) => id !== 'aur');
    const removal = list.change(without('aur'), () => Promise.reject(new HttpError(status, 'Too late')));
    await expect(removal).rejects.toThrow('Too late');
    await flush();
    expect([namesOf(list.state.items), list.state.total]).toEqual([['cities', 'clouds'], 4]);
    expect(questions).toHaveLength(2);
  },
);

test('of several changes at once only the failed one is taken back, and the page is loaded once', async () => {
  const { list } = await openLoaded();
  const refused = list.change(without('aur'), () => Promise.reject(new HttpError(403, 'Forbidden')));
  const removed = list.change(without('cit'), remove('cit'));
  expect(list.state.items).toEqual([]);
  expect(faceOf(list.state)).toBe('loading');
  await expect(refused).rejects.toThrow('Forbidden');
  await removed;
  await flush();
  expect(namesOf(list.state.items)).toEqual(['aurora', 'clouds']);
  expect(questions).toHaveLength(2);
});

test('a reload under a change that waits does not undo it', async () => {
  const { list } = await openLoaded();
  let arrive = () => {};
  const rename = list.change(
    (items) => items.map((item) => (item.id === 'aur' ? { ...item, name: 'polar lights' } : item)),
    () =>
      new Promise<void>((resolve) => {
        arrive = resolve;
      }),
  );
  await list.reload();
  expect(namesOf(list.state.items)).toEqual(['polar lights', 'cities']);
  stored[0]!.name = 'polar lights';
  arrive();
  await rename;
  expect(namesOf(list.state.items)).toEqual(['polar lights', 'cities']);
});

test('when the last page has lost its last item, the page before it is shown', async () => {
  const { list } = await openLoaded();
  list.goTo(3);
  await flush();
  await list.change(without('des'), remove('des'));
  await flush();
  expect([list.state.page, list.state.lastPage, namesOf(list.state.items)]).toEqual([2, 2, ['clouds', 'concerts']]);
});

test('a closed list has forgotten all, and nothing that was under way changes it', async () => {
  const { list, close } = await openLoaded();
  list.toggle('aur');
  list.typeSearch('desert');
  list.goTo(2);
  const removal = list.change(without('clo'), remove('clo'));
  close();
  await removal;
  await vi.advanceTimersByTimeAsync(1_000);
  recovered.emit();
  await flush();
  expect(list.state).toEqual({
    items: [],
    total: null,
    page: 1,
    lastPage: 1,
    search: '',
    appliedSearch: '',
    filters: { order: 'asc' },
    selectedIds: [],
    isLoading: false,
    failure: null,
    isOffline: false,
    cachedAt: null,
  });
  expect(questions).toHaveLength(2);
});

test('what the server answered is applied below the changes that wait', async () => {
  const { list } = await openLoaded();
  let answer = () => {};
  const rename = (name: string) => (items: readonly Tag[]) =>
    items.map((item) => (item.id === 'aur' ? { ...item, name } : item));
  const changing = list.change(rename('mine'), () => new Promise<void>((resolve) => (answer = resolve)));
  list.update(rename('theirs'));
  expect(namesOf(list.state.items)).toEqual(['mine', 'cities']);
  list.update(without('cit'));
  expect([namesOf(list.state.items), list.state.total]).toEqual([['mine'], 4]);
  answer();
  await changing;
});

test('a page that is kept is not loaded again after its changes', async () => {
  const list = createPagedList<Tag, Filters>({
    limit: 2,
    filters: { order: 'asc' },
    load,
    idOf: ({ id }) => id,
    toSentence: String,
    keepsPage: true,
  });
  onTestFinished(list.open());
  await flush();
  await list.change(without('aur'), remove('aur'));
  await flush();
  expect([namesOf(list.state.items), load.mock.calls.length]).toEqual([['cities'], 1]);
});

test.each([true, false])('a reply that is older than a change of the page does not undo it (%s)', async (keepsPage) => {
  const list = createPagedList<Tag, Filters>({
    limit: 2,
    filters: { order: 'asc' },
    load,
    idOf: ({ id }) => id,
    toSentence: () => 'Failed',
    keepsPage,
  });
  onTestFinished(list.open());
  await flush();
  const giveOld = holdAnswer();
  void list.reload();
  await list.change(without('aur'), remove('aur'));
  giveOld({ items: [{ id: 'aur', name: 'aurora' }], total: 1 });
  await flush();
  expect(namesOf(list.state.items)).toEqual(['cities', 'clouds']);
  expect(list.state.isLoading).toBe(false);
});

test('a page that others change while it is loading is loaded again', async () => {
  const { list } = open();
  const giveOld = holdAnswer();
  void list.reload();
  stored = [{ id: 'new', name: 'new' }];
  list.update((items) => items);
  giveOld({ items: [], total: 0 });
  await flush();
  expect(namesOf(list.state.items)).toEqual(['new']);
});

test('a failure is dismissed, and items are selected by their ids', async () => {
  const { list } = await openLoaded();
  fault = new HttpError(500, 'Internal');
  await list.reload();
  list.dismissFailure();
  list.select(['cit']);
  expect([list.state.failure, faceOf(list.state), list.state.selectedIds]).toEqual([null, 'items', ['cit']]);
});
