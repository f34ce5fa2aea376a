import type { ScreenForm } from '#contract/screen-forms.ts';
import { isLoopback } from '../../../http/addresses/client-address.ts';
import type { Reporter } from './viewer.ts';
import { Viewer } from './viewer.ts';

export const viewerBounds = {
  /** Of the whole process: some 3 KB each. */
  most: 10_000,
  /** Of one client address, behind which a venue may have some hundred; not of this machine's own, as of a proxy. */
  mostOfAddress: 500,
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

/** Everybody whose samples came lately. Beyond the bounds newcomers are not counted until others have left. */
export class Viewers {
  private readonly viewers = new Map<string, Viewer>();
  private readonly ofAddress = new Map<string, number>();

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
    for (const [key, viewer] of this.viewers) {
      if (viewer.forget(now)) continue;
      this.viewers.delete(key);
      this.countAddress(viewer.address, -1);
    }
  }

  private add(reporter: Reporter): Viewer | null {
    if (this.viewers.size >= viewerBounds.most || this.isFull(reporter.address)) return null;
    const viewer = new Viewer(reporter);
    this.viewers.set(reporter.viewer, viewer);
    this.countAddress(reporter.address, 1);
    return viewer;
  }

  private isFull(address: string): boolean {
    return !isLoopback(address) && (this.ofAddress.get(address) ?? 0) >= viewerBounds.mostOfAddress;
  }

  private countAddress(address: string, more: number): void {
    const count = (this.ofAddress.get(address) ?? 0) + more;
    if (count > 0) this.ofAddress.set(address, count);
    else this.ofAddress.delete(address);
  }
}
