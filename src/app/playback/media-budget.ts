import { proxy } from 'valtio/vanilla';
import { connectionsPerOrigin, isWeakDevice, savesData } from '#app/platform/capabilities.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import { forgetLearned, readLearned, storeLearned } from './learned-device.ts';

/**
 * A resource that a device has a limited number of: elements with a source (`decoder`), parallel
 * transfers (`connection`), elements that play sound (`sound`).
 */
export type MediaResource = 'decoder' | 'connection' | 'sound';

/** `ahead`: prepared before the viewer asks for it. */
export type Priority = 'modal' | 'quadrant' | 'preview' | 'ahead';

const ranks: Readonly<Record<Priority, number>> = { modal: 3, quadrant: 2, preview: 1, ahead: 0 };

interface Claim {
  needs: readonly MediaResource[];
  priority: Priority;
  /**
   * When set, this claim may revoke leases of equal priority, the oldest first: of two videos that
   * cannot sound at once, the one unmuted last sounds.
   */
  takesTurns?: boolean;
  /** The lease is granted later than it was requested. */
  granted(): void;
  /**
   * The lease is revoked. The holder must free its resources before this returns; the claim waits
   * again unless it is released.
   */
  revoked(): void;
  /** How far its element is, where that says whether it really holds a decoder. */
  state?(): ElementState;
  /** The same for all elements of one player. */
  player?: object;
}

/**
 * `starting`: it has drawn its first frame, and whether it moves is not known yet. `moving`: it was
 * seen to move. `still`: it shows a frame and should not move. `failed`: it has no decoder, although
 * it holds a lease.
 */
export type ElementState = 'loading' | 'starting' | 'moving' | 'still' | 'failed';

/** A claim to resources, held or waiting. */
export interface MediaLease {
  readonly isHeld: boolean;
  /** Returns one resource that is no longer needed; the lease keeps the others. */
  giveBack(resource: MediaResource): void;
  /** How many elements of other leases are in one of these states. */
  countOthers(resource: MediaResource, ...states: readonly ElementState[]): number;
  /** How many other players hold leases, without one that has failed. */
  countOtherPlayers(resource: MediaResource): number;
  /**
   * Lowers the capacity, and revokes the leases of others that are too many for it: those that have
   * failed first, then those that load, then the lowest priority, then the earliest.
   */
  lowerCapacity(resource: MediaResource, capacity: number): void;
  setPriority(priority: Priority): void;
  /** A waiting claim is granted before those of the same priority that have waited longer. */
  goFirst(): void;
  /** Ends the claim. */
  release(): void;
}

interface Entry {
  readonly claim: Claim;
  needs: readonly MediaResource[];
  priority: Priority;
  isHeld: boolean;
}

/**
 * Shares the device's media resources: the modal player comes before the quadrants, these come
 * before previews, and all of them before videos prepared ahead. A claim that finds no free
 * resource revokes leases of lower priority, or waits.
 */
export class MediaBudget {
  private readonly capacity: Record<MediaResource, number>;
  /** Decoders that may be used for the network's sake, whatever the device has. */
  private decoderCeiling = Number.POSITIVE_INFINITY;
  /** Granted leases, the earliest first. */
  private held: Entry[] = [];
  /** Waiting claims, the earliest first. */
  private waiting: Entry[] = [];

  constructor(capacity: Readonly<Record<MediaResource, number>>) {
    this.capacity = { ...capacity };
  }

  /** Grants the lease at once where possible; `granted` is called only for a later grant. */
  request(claim: Claim): MediaLease {
    const entry: Entry = { claim, needs: claim.needs, priority: claim.priority, isHeld: false };
    if (!this.tryGrant(entry, claim.takesTurns)) this.waiting.push(entry);
    return this.leaseOf(entry);
  }

  capacityOf(resource: MediaResource): number {
    return this.capacity[resource];
  }

  inUse(resource: MediaResource): number {
    return this.held.filter(({ needs }) => needs.includes(resource)).length;
  }

  /** How many elements are in one of these states. */
  countIn(resource: MediaResource, ...states: readonly ElementState[]): number {
    return this.holdersIn(resource, states).length;
  }

  /**
   * When the capacity shrinks, leases are revoked at once: the lowest priority first, then the
   * newest.
   */
  setCapacity(resource: MediaResource, capacity: number): void {
    this.capacity[resource] = capacity;
    this.revoke(this.holdersOf(resource).slice(0, Math.max(0, this.inUse(resource) - this.limitOf(resource))));
    this.grantWaiting();
  }

  /** At most so many decoders are used; the device's number stays what it is. */
  setDecoderCeiling(ceiling: number): void {
    this.decoderCeiling = ceiling;
    this.setCapacity('decoder', this.capacity.decoder);
  }

  /** How many may be used now. */
  limitOf(resource: MediaResource): number {
    return resource === 'decoder' ? Math.min(this.capacity.decoder, this.decoderCeiling) : this.capacity[resource];
  }

  private leaseOf(entry: Entry): MediaLease {
    return {
      get isHeld() {
        return entry.isHeld;
      },
      giveBack: (resource) => {
        if (!entry.needs.includes(resource)) return;
        entry.needs = entry.needs.filter((need) => need !== resource);
        this.grantWaiting();
      },
      countOthers: (resource, ...states) => this.holdersIn(resource, states).filter((other) => other !== entry).length,
      countOtherPlayers: (resource) => {
        const holders = this.held.filter(({ needs, claim }) => needs.includes(resource) && claim.player !== undefined);
        const failed = holders.filter(({ claim }) => claim.state?.() === 'failed').map(({ claim }) => claim.player);
        const players = new Set(holders.map(({ claim }) => claim.player));
        for (const player of [entry.claim.player, ...failed]) players.delete(player);
        return players.size;
      },
      lowerCapacity: (resource, capacity) => {
        const others = this.held.filter((other) => other !== entry && other.needs.includes(resource));
        others.sort((a, b) => stateRank(a) - stateRank(b) || ranks[a.priority] - ranks[b.priority]);
        this.capacity[resource] = capacity;
        this.revoke(others.slice(0, Math.max(0, this.inUse(resource) - capacity)));
      },
      setPriority: (priority) => {
        if (priority === entry.priority) return;
        entry.priority = priority;
        this.grantWaiting();
      },
      goFirst: () => {
        if (this.waiting.includes(entry)) this.waiting = [entry, ...this.waiting.filter((other) => other !== entry)];
      },
      release: () => {
        this.remove(entry);
        this.grantWaiting();
      },
    };
  }

  /** Updates the state before each callback, because callbacks may request and release leases. */
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

  /** Returns the entries to revoke so that all needs are met; null when revoking is not enough. */
  private victimsOf(entry: Entry, takesTurns: boolean): Entry[] | null {
    const victims: Entry[] = [];
    for (const need of entry.needs) {
      const isSpared = (other: Entry) => !victims.includes(other);
      const missing = this.holdersOf(need).filter(isSpared).length + 1 - this.limitOf(need);
      const yielding = this.holdersOf(need).filter((other) => isSpared(other) && yieldsTo(other, entry, takesTurns));
      if (takesTurns)
        yielding.sort((a, b) => ranks[a.priority] - ranks[b.priority] || this.held.indexOf(a) - this.held.indexOf(b));
      if (missing > yielding.length) return null;
      victims.push(...yielding.slice(0, Math.max(0, missing)));
    }
    return victims;
  }

  /** The earliest first. */
  private holdersIn(resource: MediaResource, states: readonly ElementState[]): Entry[] {
    return this.held.filter(({ needs, claim }) => {
      const state = claim.state?.();
      return needs.includes(resource) && state !== undefined && states.includes(state);
    });
  }

  /** Sorted by priority, the lowest first; among equals, the newest first. */
  private holdersOf(resource: MediaResource): Entry[] {
    const holders = this.held.filter(({ needs }) => needs.includes(resource)).reverse();
    return holders.sort((a, b) => ranks[a.priority] - ranks[b.priority]);
  }

  /**
   * Moves all entries to the waiting list before the first callback runs, so that each resource
   * freed by a callback is granted only once.
   */
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

/** Elements without a picture to lose rank lowest. */
function stateRank({ claim }: Entry): number {
  const state = claim.state?.();
  if (state === 'failed') return 0;
  if (state === 'moving') return 3;
  return state === 'loading' ? 1 : 2;
}

function yieldsTo(holder: Entry, { priority }: Entry, takesTurns: boolean): boolean {
  const distance = ranks[priority] - ranks[holder.priority];
  return distance > 0 || (distance === 0 && takesTurns);
}

/** One connection is reserved for API calls. */
const forCalls = 1;
/** Four playing videos and the two prepared in the background. */
const allDecoders = quadrants.length + limits.preparingElements;

/**
 * The resources of this device, shared by quadrants, previews and the modal player. The capacity
 * for sound is set whenever a video is unmuted.
 */
export const mediaBudget = new MediaBudget({
  decoder: readLearned('decoders') ?? allDecoders,
  connection: connectionsPerOrigin() - forCalls,
  sound: quadrants.length,
});

/**
 * `count`: how many videos this device shows at once, as far as it is known. `moving`: how many of
 * the four move at once, which the network may limit further.
 */
export const shownAtOnce = proxy<{ count: number; moving: number }>({
  count: quadrants.length,
  moving: quadrants.length,
});

function shareLimits(): void {
  shownAtOnce.count = Math.min(quadrants.length, mediaBudget.capacityOf('decoder'));
  shownAtOnce.moving = Math.min(quadrants.length, mediaBudget.limitOf('decoder'));
}

/** Limits the decoders for this visit. */
function limitDecoders(count: number): void {
  mediaBudget.setCapacity('decoder', count);
  shareLimits();
}

/** The device was found to show so many at once: it is remembered for a week. */
export function learnDecoders(count: number): void {
  storeLearned('decoders', count);
  limitDecoders(count);
  planOneMore();
}

/** The device is found out anew. */
export function forgetDecoders(): void {
  forgetLearned('decoders');
  limitDecoders(allDecoders);
  attempts = 0;
  planOneMore();
}

/**
 * When one decoder more is tried after the last refusal, in hours, and after each attempt in vain.
 */
const oneMoreAfterHours = [1, 6, 24];
/** It is there when nothing was refused for so long. */
const refusedWithinMs = 10_000;
const hourMs = 3_600_000;

let attempts = 0;
let cancelOneMore = () => {};

/** Another app or page may have had the decoders that were lacking. */
function planOneMore(): void {
  cancelOneMore();
  const { count } = shownAtOnce;
  const hours = oneMoreAfterHours[Math.min(attempts, oneMoreAfterHours.length - 1)] ?? 0;
  cancelOneMore = count === quadrants.length ? () => {} : after(hours * hourMs, tryOneMore);

  function tryOneMore(): void {
    attempts += 1;
    mediaBudget.setCapacity('decoder', count + 1);
    cancelOneMore = after(refusedWithinMs, () => {
      attempts = 0;
      learnDecoders(count + 1);
    });
  }
}

planOneMore();

/** Whether the next video can be prepared without revoking the decoder of a playing one. */
export function hasRoomToPrepare(): boolean {
  return mediaBudget.limitOf('decoder') > quadrants.length;
}

/** Below this throughput the four videos on screen need the whole network. */
export const slowBelowKbps = quadrants.length * limits.lowBandwidthMbps * 1_000;

/**
 * How the next video is prepared. `element`: in an element of its own. `bytes`: only its first
 * bytes are fetched, on devices where hidden idle elements are suspended, where another video would
 * lose its decoder, or where the network is slow. `nothing`: the viewer saves data.
 */
export function prepareMode(): 'element' | 'bytes' | 'nothing' {
  if (savesData()) return 'nothing';
  return isWeakDevice() || isSlow() || !hasRoomToPrepare() ? 'bytes' : 'element';
}

/** Judges by the throughput measured in this visit, or in an earlier one. */
function isSlow(): boolean {
  return (readLearned('kbps') ?? slowBelowKbps) < slowBelowKbps;
}

/**
 * Throughputs of the page below which one and two videos move, and how far above it more do again.
 */
const oneBelowKbps = 500;
const twoBelowKbps = 1_000;
const moreAbove = 1.5;

/**
 * Lets fewer of the four move where the viewer saves data, or where the network carries no more. To
 * be called again and again: the limit ends with its reason, and nothing of it is stored.
 */
export function limitByNetwork(): void {
  const kbps = readLearned('kbps') ?? slowBelowKbps;
  const { moving } = shownAtOnce;
  const isBelow = (limit: number, count: number) => kbps < (moving <= count ? limit * moreAbove : limit);
  const limit = isBelow(twoBelowKbps, 2) || savesData() ? 2 : Number.POSITIVE_INFINITY;
  const ceiling = isBelow(oneBelowKbps, 1) ? 1 : limit;
  if (Math.min(ceiling, mediaBudget.capacityOf('decoder')) === mediaBudget.limitOf('decoder')) return;
  mediaBudget.setDecoderCeiling(ceiling);
  shareLimits();
}

shareLimits();
limitByNetwork();

/** Kilobits per second per quadrant, as last shared out by `QualityControl`; empty before that. */
let shares: Partial<Record<Quadrant, number>> = {};

/** Kilobits per second for one quadrant; undefined while the network's throughput is unknown. */
export function kbpsFor(quadrant: Quadrant): number | undefined {
  const kbps = shares[quadrant] ?? (readLearned('kbps') ?? Number.NaN) / quadrants.length;
  return Math.floor(kbps) || undefined;
}

export function setShares(shared: Partial<Record<Quadrant, number>>): void {
  shares = shared;
}
