import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant } from '../../contract/quadrants.ts';

const okKeys = ['Enter', ' '];
const inputEvents = ['pointerdown', 'click', 'keydown'] as const;

/** Four hosts over the loading screen, in the position of the feed's grid. */
export class StartGrid {
  readonly element = document.createElement('div');
  readonly hosts: Record<Quadrant, HTMLElement>;
  /** Called for a tap on the grid or OK on a remote. The engine replaces it. */
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
   * A tap belongs to the element where it began: the feed may cover the grid before it ends. After
   * the grid is removed, the next touch or key removes the listeners.
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

/**
 * Templates in the page with links to files that load after the first frames (`vite.config.ts`).
 */
type PageFiles = 'engine-files' | 'view-files' | 'saved-files';

/**
 * Fetches the files without running them. The links move out of their template, so that a second
 * call does nothing.
 */
export function fetchPageFiles(name: PageFiles): void {
  const files = document.getElementById(name);
  if (files instanceof HTMLTemplateElement) document.head.append(files.content);
}
