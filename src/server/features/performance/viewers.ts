import type { ActiveViewer, ActiveViewers } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { ScreenForm } from '#contract/rules/settings.ts';
import { isLoopback } from '../../http/client-address.ts';
import type { SentBytes, SentViewer } from '../../http/connections/sent-bytes.ts';
import { Shares } from '../../limits/shares.ts';
import { currentKbps } from './bandwidth.ts';
import { SeenSamples, ViewingSessions } from './samples.ts';

export const viewerLimits = {
  /**
   * All of this process; a viewer takes some 3 KB. It is twice as many as the whole site measures:
   * while they become more, the surplus tells how many more there are.
   */
  total: 2 * limits.measuredViewers,
  /**
   * Behind one client address a venue may have some hundred viewers; loopback addresses, as of a
   * proxy, have no limit.
   */
  perAddress: 500,
  /** The owner of one network (/24 or /48) has many addresses. */
  perNetwork: 2_000,
} as const;

/**
 * A person who is watching now. Kept in memory only: `viewer` and `network` are never stored,
 * logged or exported.
 */
export interface PresentViewer {
  viewer: string;
  form: ScreenForm | null;
  /** The network around their address, /24 or /48. */
  network: string;
  quadrants: number;
  standsFor: number;
  /** Stalls in this viewing session, which began at `since`. */
  stalls: number;
  /** Epoch milliseconds, as is `lastAt`, the time of the latest sample. */
  since: number;
  lastAt: number;
}

/**
 * All viewers with recent samples. Viewer names are random, and anybody can make some up: beyond
 * the limits, a newcomer who was sent bytes of a video takes the place of a viewer who was sent
 * none; other newcomers are not counted until somebody leaves.
 */
export class Viewers {
  private readonly viewers = new Map<string, Viewer>();
  private readonly shares = new Shares<Viewer>(viewerLimits);
  private readonly hasBytes: (viewer: string) => boolean;

  /** @param hasBytes whether a viewer was sent bytes of a video recently */
  constructor(hasBytes: (viewer: string) => boolean) {
    this.hasBytes = hasBytes;
  }

  get size(): number {
    return this.viewers.size;
  }

  /** Returns null when there are too many viewers. */
  find(reporter: Reporter): Viewer | null {
    const known = this.viewers.get(reporter.viewer);
    if (known === undefined) return this.add(reporter);
    known.reporter = { ...reporter, form: reporter.form ?? known.reporter.form };
    return known;
  }

  /** The viewers whose viewing session is in progress. */
  present(now: number): PresentViewer[] {
    return [...this.viewers.values()].flatMap((viewer) => {
      const session = viewer.sessions.current(now);
      if (session === null) return [];
      const { viewer: key, form, network, standsFor } = viewer.reporter;
      const { stalls, startsAt, endsAt } = session;
      const quadrants = viewer.countQuadrants(now);
      return [{ viewer: key, form, network, quadrants, standsFor, stalls, since: startsAt, lastAt: endsAt }];
    });
  }

  /** The number of viewers for whom those that `present` lists stand. */
  countPresent(now: number): number {
    let count = 0;
    for (const { reporter, sessions } of this.viewers.values())
      if (sessions.current(now) !== null) count += reporter.standsFor;
    return count;
  }

  /**
   * Frees viewers whose sessions no late sample can extend any more, and all who have left when
   * others wait for their places.
   */
  forget(now: number): void {
    const isFull = this.size >= viewerLimits.total;
    for (const viewer of this.viewers.values()) {
      const mayReturn = viewer.forget(now);
      if (!mayReturn || (isFull && viewer.sessions.current(now) === null)) this.remove(viewer);
    }
  }

  private add(reporter: Reporter): Viewer | null {
    const { viewer: key, address, network } = reporter;
    const holders = isLoopback(address) ? {} : { address, network };
    const full = this.shares.findFull(holders);
    if (full !== null && !(this.hasBytes(key) && this.makeRoom(full.list()))) return null;
    const viewer = new Viewer(reporter);
    this.viewers.set(key, viewer);
    this.shares.add(viewer, holders);
    return viewer;
  }

  /**
   * Removes several at a time: finding them is the expensive part.
   * @returns whether any viewer was removed
   */
  private makeRoom(among: readonly Viewer[]): boolean {
    const unserved = among.filter(({ reporter }) => !this.hasBytes(reporter.viewer));
    for (const viewer of unserved.slice(0, Math.ceil(unserved.length / 16))) this.remove(viewer);
    return unserved.length > 0;
  }

  private remove(viewer: Viewer): void {
    this.viewers.delete(viewer.reporter.viewer);
    this.shares.remove(viewer);
  }
}

/** The sender of a report: never stored, never logged. */
export interface Reporter {
  /** `viewerKey` of the request. */
  viewer: string;
  /** `clientAddress` of the request. */
  address: string;
  /** `clientNetwork` of the request. */
  network: string;
  form: ScreenForm | null;
  /** How many devices its device stands for; 0: it reports stalls and breaks alone. */
  standsFor: number;
}

interface ViewerQuadrant {
  seen: SeenSamples;
  sessions: ViewingSessions;
}

/** The state of a viewer, kept while late samples can still arrive. */
export class Viewer {
  /** The latest report; the address and network of the first one count in the shares. */
  reporter: Reporter;
  /** The sessions in any quadrant. */
  readonly sessions = new ViewingSessions();
  private readonly quadrants = new Map<Quadrant, ViewerQuadrant>();

  constructor(reporter: Reporter) {
    this.reporter = reporter;
  }

  /** @param now elapsed milliseconds */
  in(quadrant: Quadrant, now: number): ViewerQuadrant {
    const known = this.quadrants.get(quadrant);
    if (known !== undefined) return known;
    const opened = { seen: new SeenSamples(now), sessions: new ViewingSessions() };
    this.quadrants.set(quadrant, opened);
    return opened;
  }

  /** @param now epoch milliseconds */
  countQuadrants(now: number): number {
    return [...this.quadrants.values()].filter(({ sessions }) => sessions.current(now) !== null).length;
  }

  /**
   * @returns whether any session is left that a late sample can extend; `now` in epoch milliseconds
   */
  forget(now: number): boolean {
    for (const [quadrant, { sessions }] of this.quadrants) if (!sessions.forget(now)) this.quadrants.delete(quadrant);
    return this.sessions.forget(now);
  }
}

const activeMs = limits.viewingSessionGapSeconds * 1_000;

/**
 * The viewers whom this process sent bytes to, or who reported to it, in the last
 * `viewingSessionGapSeconds`: most stalls first, then the lowest bandwidth, viewers without a
 * measurement last. Kept in memory only.
 */
export function describeActiveViewers(meter: SentBytes, present: readonly PresentViewer[]): ActiveViewers {
  const sent = new Map(meter.active(activeMs).map((viewer) => [viewer.key, viewer]));
  const reported = new Map(present.map((viewer) => [viewer.viewer, viewer]));
  const keys = new Set([...sent.keys(), ...reported.keys()]);
  const viewers = [...keys].map((key) => describeViewer(meter, sent.get(key), reported.get(key)));
  viewers.sort((a, b) => b.stall_events - a.stall_events || compareBandwidth(a, b));
  const estimated = present.reduce((sum, { standsFor }) => sum + standsFor, 0);
  return { total: Math.max(viewers.length, estimated), viewers: viewers.slice(0, limits.activeViewersListed) };
}

function describeViewer(
  meter: SentBytes,
  sent: SentViewer | undefined,
  reported: PresentViewer | undefined,
): ActiveViewer {
  const sentSince = sent === undefined ? Number.POSITIVE_INFINITY : meter.toTimeOfDay(sent.since);
  const kbps = sent === undefined ? null : currentKbps(meter, sent);
  return {
    form: reported?.form ?? null,
    address: sent?.network ?? reported?.network ?? '',
    quadrants: reported?.quadrants ?? 0,
    bandwidth_mbps: kbps === null ? null : kbps / 1_000,
    stall_events: reported?.stalls ?? 0,
    since: new Date(Math.min(sentSince, reported?.since ?? Number.POSITIVE_INFINITY)).toISOString(),
  };
}

function compareBandwidth({ bandwidth_mbps: a }: ActiveViewer, { bandwidth_mbps: b }: ActiveViewer): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}
