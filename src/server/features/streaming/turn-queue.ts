/** Items that wait, in turn: one of each owner after the other, so that an owner of many keeps nobody else waiting. */
export class TurnQueue<Item> {
  /** The first is the one whose turn it is; none is without items. */
  private readonly waiting = new Map<object, Item[]>();

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  /** Whose turn it is. */
  get next(): Item | undefined {
    return this.firstOwner()?.[1][0];
  }

  add(owner: object, item: Item): void {
    const items = this.waiting.get(owner);
    if (items === undefined) this.waiting.set(owner, [item]);
    else items.push(item);
  }

  /** Takes out whose turn it is. */
  remove(): void {
    const [owner, items] = this.firstOwner() ?? [];
    if (owner === undefined || items === undefined) return;
    items.shift();
    this.waiting.delete(owner);
    if (items.length > 0) this.waiting.set(owner, items);
  }

  private firstOwner(): [object, Item[]] | undefined {
    return this.waiting.entries().next().value;
  }
}
