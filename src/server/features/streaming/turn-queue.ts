/** Whoever waits, in turn: one of each owner after the other, so that an owner of many keeps nobody else waiting. */
export interface TurnQueue<Item> {
  readonly isEmpty: boolean;
  /** Whose turn it is. */
  readonly next: Item | undefined;
  add(owner: object, item: Item): void;
  /** Takes out whose turn it is. */
  remove(): void;
}

export function createTurnQueue<Item>(): TurnQueue<Item> {
  /** The first is the one whose turn it is; none is without items. */
  const waiting = new Map<object, Item[]>();
  const firstOwner = (): [object, Item[]] | undefined => waiting.entries().next().value;

  return {
    get isEmpty() {
      return waiting.size === 0;
    },
    get next() {
      return firstOwner()?.[1][0];
    },
    add(owner, item) {
      const items = waiting.get(owner);
      if (items === undefined) waiting.set(owner, [item]);
      else items.push(item);
    },
    remove() {
      const [owner, items] = firstOwner() ?? [];
      if (owner === undefined || items === undefined) return;
      items.shift();
      waiting.delete(owner);
      if (items.length > 0) waiting.set(owner, items);
    },
  };
}
