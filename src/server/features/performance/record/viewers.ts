import type { ScreenForm } from '#contract/screen-forms.ts';
import type { Reporter } from './viewer.ts';
import { Viewer } from './viewer.ts';

export interface ViewerBounds {
  /** Of the whole process: some 3 KB each. */
  most: number;
  /** Of one client address, behind which a venue may have some hundred. */
  mostOfAddress: number;
}

export const viewerBounds: ViewerBounds = { most: 10_000, mostOfAddress: 500 };

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
  private readonly bounds: ViewerBounds;
  private readonly viewers = new Map<string, Viewer>();
  private readonly ofAddress = new Map<string, number>();

  constructor(bounds: ViewerBounds = viewerBounds) {
    this.bounds = bounds;
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

  /** Frees those of whom nothing more can come that belongs to what is known. */
  forget(now: number): void {
    for (const [key, viewer] of this.viewers) {
      if (viewer.forget(now)) continue;
      this.viewers.delete(key);
      this.countAddress(viewer.address, -1);
    }
  }

  private add(reporter: Reporter): Viewer | null {
    const { most, mostOfAddress } = this.bounds;
    if (this.viewers.size >= most || (this.ofAddress.get(reporter.address) ?? 0) >= mostOfAddress) return null;
    const viewer = new Viewer(reporter);
    this.viewers.set(reporter.viewer, viewer);
    this.countAddress(reporter.address, 1);
    return viewer;
  }

  private countAddress(address: string, more: number): void {
    const count = (this.ofAddress.get(address) ?? 0) + more;
    if (count > 0) this.ofAddress.set(address, count);
    else this.ofAddress.delete(address);
  }
}
