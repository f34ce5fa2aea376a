import type { Quadrant } from '#contract/quadrants.ts';
import type { ScreenForm } from '#contract/screen-forms.ts';
import { SeenSamples } from './seen-samples.ts';
import { ViewingSessions } from './viewing-sessions.ts';

/** Who sends a report: never stored, never logged. */
export interface Reporter {
  /** `viewerKey` of the request. */
  viewer: string;
  /** `clientAddress` of the request. */
  address: string;
  /** `clientNetwork` of the request. */
  network: string;
  form: ScreenForm | null;
}

interface ViewerQuadrant {
  seen: SeenSamples;
  sessions: ViewingSessions;
}

/** What is remembered of somebody who watches, while late samples can still come. */
export class Viewer {
  /** Under which they are counted, wherever they go on from. */
  readonly address: string;
  readonly network: string;
  reporter: Reporter;
  /** In any quadrant. */
  readonly sessions = new ViewingSessions();
  private readonly quadrants = new Map<Quadrant, ViewerQuadrant>();

  constructor(reporter: Reporter) {
    this.address = reporter.address;
    this.network = reporter.network;
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

  /** @returns whether anything is left that a late sample can reach; `now` in epoch milliseconds */
  forget(now: number): boolean {
    for (const [quadrant, { sessions }] of this.quadrants) if (!sessions.forget(now)) this.quadrants.delete(quadrant);
    return this.sessions.forget(now);
  }
}
