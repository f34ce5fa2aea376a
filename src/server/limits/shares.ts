/** Whom a limit counts: an account, a `clientAddress`, or the `clientNetwork` around it. */
type HolderKind = 'person' | 'address' | 'network';

/** The holders of an item. An item without holders counts in the total alone. */
export type Holders = { readonly [Kind in HolderKind]?: string | null };

/** The most items at the same time; a missing number is no limit. */
export interface ShareLimits {
  total?: number;
  perPerson?: number;
  perAddress?: number;
  perNetwork?: number;
}

/** The limit that a newcomer would exceed. */
interface FullShare<Item> {
  of: HolderKind | 'total';
  most: number;
  /** The items that count in it, the oldest first. */
  list(): Item[];
}

/**
 * Counts what is held at the same time, in all and by each holder. It refuses and ends nothing: the
 * caller decides whether a newcomer has to go, or which other item.
 */
export class Shares<Item> {
  private readonly limits: ShareLimits;
  private readonly holders = new Map<Item, Holders>();
  private readonly items: Record<HolderKind, Map<string, Set<Item>>> = {
    person: new Map(),
    address: new Map(),
    network: new Map(),
  };

  constructor(limits: ShareLimits) {
    this.limits = limits;
  }

  get size(): number {
    return this.holders.size;
  }

  add(item: Item, holders: Holders = {}): void {
    this.holders.set(item, holders);
    for (const [kind, holder] of entriesOf(holders)) {
      const share = this.items[kind].get(holder);
      if (share === undefined) this.items[kind].set(holder, new Set([item]));
      else share.add(item);
    }
  }

  /** An item that is not held is ignored. */
  remove(item: Item): void {
    for (const [kind, holder] of entriesOf(this.holders.get(item) ?? {})) {
      const share = this.items[kind].get(holder);
      share?.delete(item);
      if (share?.size === 0) this.items[kind].delete(holder);
    }
    this.holders.delete(item);
  }

  /** Returns null while there is room for one more item of these holders. */
  findFull(newcomer: Holders = {}): FullShare<Item> | null {
    const { total, perPerson, perAddress, perNetwork } = this.limits;
    const limitOf = { person: perPerson, address: perAddress, network: perNetwork };
    for (const [kind, holder] of entriesOf(newcomer)) {
      const [share, most] = [this.items[kind].get(holder), limitOf[kind]];
      if (share !== undefined && most !== undefined && share.size >= most)
        return { of: kind, most, list: () => [...share] };
    }
    if (total === undefined || this.size < total) return null;
    return { of: 'total', most: total, list: () => [...this.holders.keys()] };
  }

  /** Items that are removed meanwhile are left out. */
  all(): Iterable<Item> {
    return this.holders.keys();
  }

  count(kind: HolderKind, holder: string | null): number {
    return (holder === null ? undefined : this.items[kind].get(holder)?.size) ?? 0;
  }

  /** The items of the holder with the most, the oldest first. */
  largest(kind: HolderKind): ReadonlySet<Item> {
    let largest: ReadonlySet<Item> = new Set();
    for (const share of this.items[kind].values()) if (share.size > largest.size) largest = share;
    return largest;
  }
}

function entriesOf(holders: Holders): [HolderKind, string][] {
  const { person, address, network } = holders;
  const entries: [HolderKind, string][] = [];
  if (typeof person === 'string') entries.push(['person', person]);
  if (typeof address === 'string') entries.push(['address', address]);
  if (typeof network === 'string') entries.push(['network', network]);
  return entries;
}
