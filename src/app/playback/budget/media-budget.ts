/** What there is only so much of on one device: elements with a source, transfers side by side, elements that sound. */
export type Resource = 'decoder' | 'connection' | 'sound';

/** `ahead`: prepared before the viewer asks for it. */
export type Priority = 'modal' | 'quadrant' | 'preview' | 'ahead';

const ranks: Readonly<Record<Priority, number>> = { modal: 3, quadrant: 2, preview: 1, ahead: 0 };

export interface Claim {
  needs: readonly Resource[];
  priority: Priority;
  /**
   * When it asks, equals yield to it, the oldest first: of two that cannot sound at once, the one that was asked for
   * last does.
   */
  takesTurns?: boolean;
  /** The lease came later than it was asked for. */
  granted(): void;
  /**
   * The lease is taken away. What it stood for must be given up before this returns; the claim waits anew unless it is
   * released.
   */
  revoked(): void;
}

/** A claim to resources, held or waiting. */
export interface Lease {
  readonly isHeld: boolean;
  /** What is not needed any longer goes back; the rest stays held. */
  giveBack(resource: Resource): void;
  setPriority(priority: Priority): void;
  /** Ends the claim. */
  release(): void;
}

interface Entry {
  readonly claim: Claim;
  needs: readonly Resource[];
  priority: Priority;
  isHeld: boolean;
}

/**
 * Who may use which of the device's media resources: the modal player before the quadrants, these before previews, and
 * all before what is prepared ahead. A claim that finds nothing free takes from lower ones, or waits.
 */
export class MediaBudget {
  private readonly capacity: Record<Resource, number>;
  /** In the order in which they were granted. */
  private held: Entry[] = [];
  /** In the order in which they were asked for. */
  private waiting: Entry[] = [];

  constructor(capacity: Readonly<Record<Resource, number>>) {
    this.capacity = { ...capacity };
  }

  /** Held at once when that is possible; `granted` is called only for what comes later. */
  request(claim: Claim): Lease {
    const entry: Entry = { claim, needs: claim.needs, priority: claim.priority, isHeld: false };
    if (!this.tryGrant(entry, claim.takesTurns)) this.waiting.push(entry);
    return this.leaseOf(entry);
  }

  capacityOf(resource: Resource): number {
    return this.capacity[resource];
  }

  inUse(resource: Resource): number {
    return this.held.filter(({ needs }) => needs.includes(resource)).length;
  }

  /** What is above a smaller capacity is taken away at once, the least and the newest first. */
  setCapacity(resource: Resource, capacity: number): void {
    this.capacity[resource] = capacity;
    this.revoke(this.holdersOf(resource).slice(0, Math.max(0, this.inUse(resource) - capacity)));
    this.grantWaiting();
  }

  private leaseOf(entry: Entry): Lease {
    return {
      get isHeld() {
        return entry.isHeld;
      },
      giveBack: (resource) => {
        entry.needs = entry.needs.filter((need) => need !== resource);
        this.grantWaiting();
      },
      setPriority: (priority) => {
        entry.priority = priority;
        this.grantWaiting();
      },
      release: () => {
        this.remove(entry);
        this.grantWaiting();
      },
    };
  }

  /** State is changed before a callback runs: callbacks may request and release. */
  private grantWaiting(): void {
    for (;;) {
      const next = [...this.waiting]
        .sort((a, b) => ranks[b.priority] - ranks[a.priority])
        .find((entry) => this.tryGrant(entry));
      if (!next) return;
      next.claim.granted();
    }
  }

  private tryGrant(entry: Entry, takesTurns = false): boolean {
    const victims = this.victimsOf(entry, takesTurns);
    if (!victims) return false;
    this.remove(entry);
    entry.isHeld = true;
    this.held.push(entry);
    this.revoke(victims);
    return true;
  }

  /** Who must yield so that all needs are met; null when that is not enough. */
  private victimsOf(entry: Entry, takesTurns: boolean): Entry[] | null {
    const victims: Entry[] = [];
    for (const need of entry.needs) {
      const isSpared = (other: Entry) => !victims.includes(other);
      const missing = this.holdersOf(need).filter(isSpared).length + 1 - this.capacity[need];
      const yielding = this.holdersOf(need).filter((other) => isSpared(other) && yieldsTo(other, entry, takesTurns));
      if (takesTurns)
        yielding.sort((a, b) => ranks[a.priority] - ranks[b.priority] || this.held.indexOf(a) - this.held.indexOf(b));
      if (missing > yielding.length) return null;
      victims.push(...yielding.slice(0, Math.max(0, missing)));
    }
    return victims;
  }

  /** The least first; among equals, the newest. */
  private holdersOf(resource: Resource): Entry[] {
    const holders = this.held.filter(({ needs }) => needs.includes(resource)).reverse();
    return holders.sort((a, b) => ranks[a.priority] - ranks[b.priority]);
  }

  /** All of them wait before the first callback: what a callback gives back is granted once. */
  private revoke(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.remove(entry);
      entry.needs = entry.claim.needs;
      this.waiting.push(entry);
    }
    for (const entry of entries) entry.claim.revoked();
  }

  private remove(entry: Entry): void {
    entry.isHeld = false;
    this.held = this.held.filter((other) => other !== entry);
    this.waiting = this.waiting.filter((other) => other !== entry);
  }
}

function yieldsTo(holder: Entry, { priority }: Entry, takesTurns: boolean): boolean {
  const distance = ranks[priority] - ranks[holder.priority];
  return distance > 0 || (distance === 0 && takesTurns);
}
