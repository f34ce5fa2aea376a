import { proxy } from 'valtio/vanilla';
import { HttpError, NetworkError } from '#app/platform/http/send.ts';
import { clampPage, lastPageOf } from '#contract/rules/pages.ts';
import { after, now } from '#device/timers.ts';
import { recovered } from '../../platform/link.ts';
import type { Change, ListDeps, ListPage, PagedListState } from './list-state.ts';
import { applyTo, initialStateOf, ListChanges, sentLater } from './list-state.ts';

/** The search is sent after a typing pause of this length. */
const searchDelayMs = 300;
/** Time between two reloads of a cached page. */
const recoveryPauseMs = 5_000;

/**
 * A list paged by the server: page, search, filters, selection on the page, optimistic changes.
 * Views read `state` and never write to it.
 */
class PagedList<Item, Filters extends object> {
  readonly state: PagedListState<Item, Filters>;
  private readonly deps: ListDeps<Item, Filters>;
  /** Loaded pages of the current search and filters, as the server returned them. */
  private readonly pages = new Map<number, ListPage<Item>>();
  private readonly changes = new ListChanges<Item>();
  /**
   * Includes items hidden by an optimistic change: they are selected again when it is rolled back.
   */
  private chosenIds: string[] = [];
  private isOutdated = false;
  private isOpen = false;
  /** Aborted when another request replaces the open one. */
  private asking = new AbortController();
  /** Aborted when the list is closed. */
  private opened = new AbortController();
  private cancelSearch = () => {};
  /**
   * Limits reloads of cached pages: a server whose database is unreachable also returns cached
   * pages, and each reply counts as a recovery.
   */
  private readonly recovery = new Pace(recoveryPauseMs);
  private stopListening = () => {};

  constructor(deps: ListDeps<Item, Filters>) {
    this.deps = deps;
    this.state = proxy(initialStateOf<Item, Filters>(this.deps.filters));
  }

  /** Loads the first page. Returns a function that closes the list and clears its state. */
  open(): () => void {
    this.close();
    this.isOpen = true;
    this.stopListening = recovered.listen(() => this.recover());
    void this.load();
    return () => this.close();
  }

  close(): void {
    this.isOpen = false;
    this.opened.abort();
    this.opened = new AbortController();
    this.asking.abort();
    this.cancelSearch();
    this.recovery.cancel();
    this.stopListening();
    this.pages.clear();
    this.changes.clear();
    Object.assign(this, { chosenIds: [], isOutdated: false });
    Object.assign(this.state, initialStateOf<Item, Filters>(this.deps.filters));
  }

  /**
   * Loads the current page again. The displayed items stay until the reply. Does nothing once the
   * list is closed, as its screen may be left before a change is answered.
   */
  async reload(): Promise<void> {
    if (!this.isOpen) return;
    for (const page of [...this.pages.keys()]) if (page !== this.state.page) this.pages.delete(page);
    await this.load();
  }

  /** Shows a page that was loaded before at once, and loads it again. */
  goTo(page: number): void {
    const next = clampPage(page, this.state.lastPage);
    if (next === this.state.page) return;
    this.state.page = next;
    this.select([]);
    this.publish();
    void this.load();
  }

  typeSearch(search: string): void {
    this.cancelSearch();
    this.state.search = search;
    if (!this.deps.isSearchedOnEnter) this.cancelSearch = after(searchDelayMs, () => this.applySearch());
  }

  applySearch(): void {
    this.cancelSearch();
    const search = this.state.search.trim();
    if (search === this.state.appliedSearch) return;
    this.state.appliedSearch = search;
    this.startOver();
  }

  clearSearch(): void {
    this.state.search = '';
    this.applySearch();
  }

  filter(changes: Partial<Filters>): void {
    Object.assign(this.state.filters, changes);
    this.startOver();
  }

  toggle(id: string): void {
    const { selectedIds } = this.state;
    this.select(selectedIds.includes(id) ? selectedIds.filter((one) => one !== id) : [...selectedIds, id]);
  }

  /** Selects the whole page, or nothing when all of it is selected. */
  toggleAll(): void {
    const ids = this.shownIds();
    this.select(this.state.selectedIds.length === ids.length ? [] : ids);
  }

  clearSelection(): void {
    this.select([]);
  }

  select(ids: string[]): void {
    this.chosenIds = ids;
    this.state.selectedIds = ids;
  }

  /** Hides the failure of the last load. */
  dismissFailure(): void {
    this.state.failure = null;
  }

  /**
   * Applies a confirmed change to the page, below the pending changes. A reply that is under way may
   * be older than the change, so the page is requested again.
   */
  update(change: Change<Item>): void {
    this.isOutdated ||= this.state.isLoading;
    const base = this.pages.get(this.state.page);
    if (base) this.pages.set(this.state.page, applyTo(base, [change]));
    this.publish();
    this.reloadOutdated();
  }

  /**
   * Applies a change at once and sends it; on failure, rolls it back and rethrows the error. After
   * the last of several changes the page is loaded again, because items move up from the next page
   * and the order may change, or because others were faster; not with `keepsPage`. A change that is
   * queued for later stays applied until `forgetLater`.
   */
  async change(change: Change<Item>, send: () => Promise<unknown>): Promise<void> {
    const { signal } = this.opened;
    this.changes.begin(change);
    this.publish();
    try {
      const isLater = (await send()) === sentLater;
      if (signal.aborted) return;
      if (isLater) this.changes.keep(change);
      else this.acceptChange(change);
    } catch (error) {
      if (!signal.aborted && wasChangedByOthers(error)) this.isOutdated ||= !this.deps.keepsPage;
      throw error;
    } finally {
      if (!signal.aborted) this.endChange(change);
    }
  }

  /** Removes an item as `change` does. One that others have removed already counts as removed. */
  async remove(id: string, send: () => Promise<unknown>): Promise<void> {
    await this.change(
      (items) => items.filter((item) => this.deps.idOf(item) !== id),
      () =>
        send().catch((error: unknown) => {
          if (!isGone(error)) throw error;
        }),
    );
  }

  /**
   * To be called when queued changes were sent or refused: the server's state includes them now.
   */
  forgetLater(): void {
    if (this.changes.forgetLater()) void this.reload();
  }

  private acceptChange(change: Change<Item>): void {
    this.update(change);
    this.isOutdated ||= !this.deps.keepsPage;
  }

  private endChange(change: Change<Item>): void {
    this.changes.end(change);
    this.publish();
    this.reloadOutdated();
  }

  private reloadOutdated(): void {
    if (this.changes.arePending || !this.isOutdated) return;
    this.isOutdated = false;
    void this.reload();
  }

  private startOver(): void {
    this.pages.clear();
    this.state.page = 1;
    this.select([]);
    void this.load();
  }

  private recover(): void {
    if (this.state.isOffline) void this.reload();
    else if (this.state.cachedAt !== null) this.recovery.run(() => void this.reload());
  }

  private async load(): Promise<void> {
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    const { page, appliedSearch, filters } = this.state;
    Object.assign(this.state, { isLoading: true, failure: null, isOffline: false });
    try {
      const reply = await this.deps.load({ page, search: appliedSearch, filters: { ...filters } as Filters }, signal);
      if (!signal.aborted) this.receive(page, reply);
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    }
  }

  /** A page beyond the end, after items were removed, is replaced by the last page. */
  private receive(page: number, reply: ListPage<Item>): void {
    const lastPage = lastPageOf(reply.total, this.deps.limit);
    Object.assign(this.state, { page: clampPage(page, lastPage), lastPage });
    if (page > lastPage) return void this.load();
    this.pages.set(page, reply);
    this.state.isLoading = false;
    this.publish();
  }

  /** Clears the items of another page or search, which must not appear as the one that failed. */
  private fail(error: unknown): void {
    const isOffline = error instanceof NetworkError;
    Object.assign(this.state, { isLoading: false, isOffline, failure: isOffline ? null : this.deps.toSentence(error) });
    if (!this.pages.has(this.state.page))
      Object.assign(this.state, { items: [], total: null, selectedIds: [], cachedAt: null });
  }

  private publish(): void {
    const base = this.pages.get(this.state.page);
    if (!base) return;
    const { items, total } = this.changes.applyTo(base);
    Object.assign(this.state, { items: [...items], total, cachedAt: base.cachedAt ?? null });
    const ids = this.shownIds();
    this.state.selectedIds = this.chosenIds.filter((id) => ids.includes(id));
  }

  private shownIds(): string[] {
    return this.state.items.map((item) => this.deps.idOf(item));
  }
}

export function createPagedList<Item, Filters extends object>(deps: ListDeps<Item, Filters>): PagedList<Item, Filters> {
  return new PagedList(deps);
}

/** Whether an item is gone, or not in the state that the page shows. */
function wasChangedByOthers(error: unknown): boolean {
  return isGone(error) || (error instanceof HttpError && error.status === 409);
}

function isGone(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404;
}

/**
 * Runs work at once, and then at most once in `pauseMs`: work that is requested in between runs at
 * the end of the pause.
 */
class Pace {
  private readonly pauseMs: number;
  /** Epoch milliseconds. */
  private doneAt = Number.NEGATIVE_INFINITY;
  private cancelNext = () => {};

  constructor(pauseMs: number) {
    this.pauseMs = pauseMs;
  }

  run(work: () => void): void {
    this.cancel();
    const waitMs = Math.min(this.pauseMs, this.doneAt + this.pauseMs - now());
    if (waitMs > 0) {
      this.cancelNext = after(waitMs, () => this.run(work));
      return;
    }
    this.doneAt = now();
    work();
  }

  cancel(): void {
    this.cancelNext();
  }
}
