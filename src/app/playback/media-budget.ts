import { connectionsPerOrigin, isWeakDevice, savesData } from '#app/platform/capabilities.ts';
import { now } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { readLearned, storeLearned } from './learned-device.ts';

/** What there is only so much of on one device: elements with a source, transfers side by side, elements that sound. */
export type Resource = 'decoder' | 'connection' | 'sound';

/** `ahead`: prepared before the viewer asks for it. */
export type Priority = 'modal' | 'quadrant' | 'preview' | 'ahead';

const ranks: Readonly<Record<Priority, number>> = { modal: 3, quadrant: 2, preview: 1, ahead: 0 };

interface Claim {
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

/** One connection stays free for the calls. */
const forCalls = 1;
/** The steps down for a device that has too few decoders and does not say how many. */
const rungs = [quadrants.length, 2, 1];
const refusalsTogetherMs = 60_000;

/** Four that play, and the two that are prepared beside them. */
const allDecoders = quadrants.length + limits.preparingElements;

/**
 * What this device has, shared by quadrants, previews and the modal player. How many may sound is asked when one is to.
 */
export const mediaBudget = new MediaBudget({
  decoder: readLearned('decoders') ?? allDecoders,
  connection: connectionsPerOrigin() - forCalls,
  sound: quadrants.length,
});

/** Beside four that play there is room to prepare another one: none has to go first. */
export function hasRoomToPrepare(): boolean {
  return mediaBudget.capacityOf('decoder') > quadrants.length;
}

let lastRefusal = { url: '', at: Number.NEGATIVE_INFINITY };

/**
 * A video stalled although its data was there. Two different ones within a minute, while several were open, count as
 * too few decoders: from then on this device shows fewer at once.
 */
export function noteRefusal(url: string): void {
  const isSecond = url !== lastRefusal.url && now() - lastRefusal.at < refusalsTogetherMs;
  lastRefusal = isSecond ? { url: '', at: Number.NEGATIVE_INFINITY } : { url, at: now() };
  if (isSecond) stepDown();
}

function stepDown(): void {
  const lower = rungs.find((rung) => rung < mediaBudget.inUse('decoder'));
  if (lower === undefined || lower >= mediaBudget.capacityOf('decoder')) return;
  storeLearned('decoders', lower);
  mediaBudget.setCapacity('decoder', lower);
}

/** Below that the four on screen need all that the network gives. */
export const slowBelowKbps = quadrants.length * limits.lowBandwidthMbps * 1_000;

/**
 * How the next video is made ready: in an element of its own; only by its first bytes, where elements that idle out of
 * sight are suspended, cost another one its decoder, or take the network from those that play; or not at all, where the
 * viewer counts bytes.
 */
export function prepareMode(): 'element' | 'bytes' | 'nothing' {
  if (savesData()) return 'nothing';
  return isWeakDevice() || isSlow() || !hasRoomToPrepare() ? 'bytes' : 'element';
}

/** By what this visit has measured, or else an earlier one. */
function isSlow(): boolean {
  return (readLearned('kbps') ?? slowBelowKbps) < slowBelowKbps;
}

/** As shared out by who watches the four play; empty before that. */
let shares: Partial<Record<Quadrant, number>> = {};

/** Kilobits per second for one quadrant; undefined while the network's speed is not known. */
export function kbpsFor(quadrant: Quadrant): number | undefined {
  const kbps = shares[quadrant] ?? (readLearned('kbps') ?? Number.NaN) / quadrants.length;
  return Math.floor(kbps) || undefined;
}

export function setShares(shared: Partial<Record<Quadrant, number>>): void {
  shares = shared;
}
