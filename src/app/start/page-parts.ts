import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant } from '../playback/by-quadrant.ts';

const okKeys = ['Enter', ' '];
const inputEvents = ['pointerdown', 'click', 'keydown'] as const;

/** Four places over the loading screen, where the feed's own grid will lie. */
export class StartGrid {
  readonly element = document.createElement('div');
  readonly hosts: Record<Quadrant, HTMLElement>;
  /** A tap on the grid, or OK on a remote. Replaced by the engine. */
  onTap: () => void;
  private hasTapBegun = false;

  constructor(onTap: () => void) {
    this.onTap = onTap;
    this.element.className = 'start-grid';
    this.hosts = byQuadrant(() => this.element.appendChild(document.createElement('div')));
    document.body.append(this.element);
    for (const type of inputEvents) document.addEventListener(type, this, true);
  }

  remove(): void {
    this.element.remove();
  }

  /**
   * A tap counts where it began: the feed may be drawn over the grid before it ends. Once the grid is gone, the next
   * touch or key ends the listening.
   */
  handleEvent(event: Event): void {
    if (event.type === 'click') this.endTap();
    else if (!this.element.isConnected) this.stopListening();
    else if (event.type === 'pointerdown') this.hasTapBegun = this.element.contains(event.target as Node);
    else if (okKeys.includes((event as KeyboardEvent).key)) this.onTap();
  }

  private endTap(): void {
    if (this.hasTapBegun) this.onTap();
    this.hasTapBegun = false;
  }

  private stopListening(): void {
    for (const type of inputEvents) document.removeEventListener(type, this, true);
  }
}

/** Templates of the page, each with the links of files that come after the first frames (`vite.config.ts`). */
type PageFiles = 'engine-files' | 'view-files';

/** Fetches them without running them. They move out of their template, so that a second call does nothing. */
export function fetchPageFiles(name: PageFiles): void {
  const files = document.getElementById(name);
  if (files instanceof HTMLTemplateElement) document.head.append(files.content);
}
