export interface ListQuestion<Filters> {
  page: number;
  search: string;
  filters: Filters;
}

export interface ListPage<Item> {
  items: readonly Item[];
  /** Number of items on all pages. */
  total: number;
  /** When the server returned a page of this device's cache, in epoch milliseconds. */
  cachedAt?: number | null;
}

export interface PagedListState<Item, Filters> {
  /** The last loaded page with optimistic changes. It stays while another one is loading. */
  items: Item[];
  /** Null before the first reply. */
  total: number | null;
  page: number;
  lastPage: number;
  /** The typed text; it is sent after a pause, or at once by `applySearch`. */
  search: string;
  /** The trimmed text that the items answer, or that was sent last. */
  appliedSearch: string;
  filters: Filters;
  /** Ids of selected items on this page. */
  selectedIds: string[];
  isLoading: boolean;
  /** The reason why the last load failed; null while offline. */
  failure: string | null;
  isOffline: boolean;
  /**
   * When the server returned the displayed items, in epoch milliseconds, if they come from the
   * cache; otherwise null.
   */
  cachedAt: number | null;
}

/** An optimistic change of a page. It must be idempotent, and find items by their id. */
export type Change<Item> = (items: readonly Item[]) => readonly Item[];

/** The state of a list's body: its items, or the reason why there are none. */
export type ListFace = 'items' | 'loading' | 'empty' | 'failed' | 'offline';

type Shown = {
  readonly items: readonly unknown[];
  readonly total: number | null;
  readonly failure: string | null;
  readonly isOffline: boolean;
};

export function faceOf({ items, total, failure, isOffline }: Shown): ListFace {
  if (items.length > 0) return 'items';
  if (isOffline) return 'offline';
  if (failure !== null) return 'failed';
  return total === 0 ? 'empty' : 'loading';
}

/** A page with optimistic changes applied to its items and their count. */
export function applyTo<Item>({ items, total }: ListPage<Item>, changes: readonly Change<Item>[]): ListPage<Item> {
  const changed = changes.reduce((all, change) => change(all), items);
  return { items: changed, total: total - items.length + changed.length };
}

export interface ListDeps<Item, Filters> {
  /** Items per page. */
  limit: number;
  filters: Filters;
  load: (question: ListQuestion<Filters>, signal: AbortSignal) => Promise<ListPage<Item>>;
  idOf: (item: Item) => string;
  /** The sentence for a failed load (§8). */
  toSentence: (error: unknown) => string;
  /** The search is sent only by `applySearch`, not while typing. */
  isSearchedOnEnter?: boolean;
  /** Changes do not reload the page, so that items keep their positions. */
  keepsPage?: boolean;
}

export function initialStateOf<Item, Filters>(filters: Filters): PagedListState<Item, Filters> {
  const asked = { page: 1, lastPage: 1, search: '', appliedSearch: '', filters: { ...filters } };
  const nothing = { items: [], total: null, selectedIds: [], cachedAt: null };
  return { ...asked, ...nothing, isLoading: false, failure: null, isOffline: false };
}

/**
 * The result of sending a change that is queued for later: the change stays applied to the list
 * until then.
 */
export const sentLater = Symbol('sent later');

/** Optimistic changes that the server has not confirmed, oldest first. */
export class ListChanges<Item> {
  private pending: Change<Item>[] = [];
  private later: Change<Item>[] = [];

  get arePending(): boolean {
    return this.pending.length > 0;
  }

  begin(change: Change<Item>): void {
    this.pending.push(change);
  }

  end(change: Change<Item>): void {
    this.pending = this.pending.filter((one) => one !== change);
  }

  keep(change: Change<Item>): void {
    this.later.push(change);
  }

  /** @returns whether there were any */
  forgetLater(): boolean {
    const hadSome = this.later.length > 0;
    this.later = [];
    return hadSome;
  }

  clear(): void {
    this.pending = [];
    this.later = [];
  }

  applyTo(page: ListPage<Item>): ListPage<Item> {
    return applyTo(page, [...this.later, ...this.pending]);
  }
}
