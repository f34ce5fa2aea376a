import type { Change, ListPage } from './list-state.ts';
import { applyTo } from './list-state.ts';

/** What the sending of a change resolves with when it is only sent later: the change stays over the list until then. */
export const sentLater = Symbol('sent later');

/** Optimistic changes of a list that the server has not answered, oldest first. */
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
