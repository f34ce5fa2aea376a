import type { ScreenForm } from '#contract/screen-forms.ts';
import { isLoopback } from '../../../http/addresses/client-address.ts';
import type { Reporter } from './viewer.ts';
import { Viewer } from './viewer.ts';

export const viewerBounds = {
  /** Of the whole process: some 3 KB each. */
  most: 10_000,
  /** Of one client address, behind which a venue may have some hundred; not of this machine's own, as of a proxy. */
  mostOfAddress: 500,
  /** Of one network, whose owner has many addresses (/24 or /48). */
  mostOfNetwork: 2_000,
} as const;

/** Somebody who is watching now. In memory only: `viewer` and `network` are never stored, logged or exported. */
export interface PresentViewer {
  viewer: string;
  form: ScreenForm | null;
  /** The network around their address, /24 or /48. */
  network: string;
  quadrants: number;
  /** In this viewing session, as is `since`. */
  stalls: number;
  /** Epoch milliseconds, as is `lastAt`: of their latest sample. */
  since: number;
  lastAt: number;
}

/**
 * Everybody whose samples came lately. Names of viewers are random, and anybody can make some up: beyond the bounds a
 * newcomer whom videos were sent to takes the place of those who had no bytes, and nobody else is counted until others
 * have left.
 */
export class Viewers {
  private readonly viewers = new Map<string, Viewer>();
  private readonly ofAddress = new Map<string, number>();
  private readonly ofNetwork = new Map<string, number>();
  private readonly hasBytes: (viewer: string) => boolean;

  /** @param hasBytes whether a viewer was sent bytes of a video lately */
  constructor(hasBytes: (viewer: string) => boolean) {
    this.hasBytes = hasBytes;
  }

  get size(): number {
    return this.viewers.size;
  }

  /** Null when there are too many. */
  find(reporter: Reporter): Viewer | null {
    const known = this.viewers.get(reporter.viewer);
    if (known === undefined) return this.add(reporter);
    known.reporter = { ...reporter, form: reporter.form ?? known.reporter.form };
    return known;
  }

  /** Those whose viewing session goes on. */
  present(now: number): PresentViewer[] {
    return [...this.viewers.values()].flatMap((viewer) => {
      const session = viewer.sessions.current(now);
      if (session === null) return [];
      const { viewer: key, form, network } = viewer.reporter;
      const { stalls, startsAt, endsAt } = session;
      const quadrants = viewer.countQuadrants(now);
      return [{ viewer: key, form, network, quadrants, stalls, since: startsAt, lastAt: endsAt }];
    });
  }

  /** How many `present` lists. */
  countPresent(now: number): number {
    let count = 0;
    for (const { sessions } of this.viewers.values()) if (sessions.current(now) !== null) count += 1;
    return count;
  }

  /** Frees those of whom nothing more can come that belongs to what is known. */
  forget(now: number): void {
    for (const [key, viewer] of this.viewers) if (!viewer.forget(now)) this.remove(key, viewer);
  }

  private add(reporter: Reporter): Viewer | null {
    const crowd = this.fullCrowd(reporter);
    if (crowd !== null && !(this.hasBytes(reporter.viewer) && this.makeRoom(crowd))) return null;
    const viewer = new Viewer(reporter);
    this.viewers.set(reporter.viewer, viewer);
    addTo(this.ofAddress, viewer.address, 1);
    addTo(this.ofNetwork, viewer.network, 1);
    return viewer;
  }

  /** Whom somebody would be one too many of; null where there is room. */
  private fullCrowd({ address, network }: Reporter): ((viewer: Viewer) => boolean) | null {
    const isOwn = isLoopback(address);
    if (!isOwn && (this.ofAddress.get(address) ?? 0) >= viewerBounds.mostOfAddress)
      return (viewer) => viewer.address === address;
    if (!isOwn && (this.ofNetwork.get(network) ?? 0) >= viewerBounds.mostOfNetwork)
      return (viewer) => viewer.network === network;
    return this.viewers.size >= viewerBounds.most ? () => true : null;
  }

  /** Several at a time: finding them is the expensive part. @returns whether anybody had to go */
  private makeRoom(isOfCrowd: (viewer: Viewer) => boolean): boolean {
    const unserved = [...this.viewers].filter(([key, viewer]) => isOfCrowd(viewer) && !this.hasBytes(key));
    for (const [key, viewer] of unserved.slice(0, Math.ceil(unserved.length / 16))) this.remove(key, viewer);
    return unserved.length > 0;
  }

  private remove(key: string, viewer: Viewer): void {
    this.viewers.delete(key);
    addTo(this.ofAddress, viewer.address, -1);
    addTo(this.ofNetwork, viewer.network, -1);
  }
}

function addTo(counts: Map<string, number>, key: string, more: number): void {
  const count = (counts.get(key) ?? 0) + more;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
