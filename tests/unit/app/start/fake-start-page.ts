import { vi } from 'vitest';
import { PageStart } from '#app/start/page-start.ts';
import { quadrants } from '#contract/quadrants.ts';
import { picked } from '../feed/fake-library.ts';
import { fakeStorage } from '../platform/fake-storage.ts';
import type { FakeMedia } from '../playback/fake-video.ts';
import { fakeMediaGlobals } from '../playback/fake-video.ts';

/** An element that holds others, as far as the start's grid knows it. */
class FakeBox {
  className = '';
  isConnected = false;
  readonly children: unknown[] = [];

  append(...children: unknown[]): void {
    for (const child of children) if (child instanceof FakeBox) child.isConnected = true;
    this.children.push(...children);
  }

  appendChild<Child>(child: Child): Child {
    this.append(child);
    return child;
  }

  prepend(child: unknown): void {
    this.children.unshift(child);
  }

  contains(target: unknown): boolean {
    return target === this;
  }

  remove(): void {
    this.isConnected = false;
  }
}

/** A draw for all four, in reading order. */
export const drawOf = (...ids: string[]) =>
  Object.fromEntries(quadrants.map((quadrant, at) => [quadrant, picked(ids[at] ?? '', 16)]));

/** A template, as far as the page's files are concerned. */
class FakeTemplate {
  readonly content: string;

  constructor(content: string) {
    this.content = content;
  }
}

/** Window and document as the page's own script finds them, on a fake clock. */
export class FakeStartPage {
  readonly media: FakeMedia;
  readonly body = new FakeBox();
  /** What is fetched after the first frames stands here. */
  readonly head = new FakeBox();
  readonly words = { textContent: '' };

  constructor() {
    vi.useFakeTimers();
    this.media = fakeMediaGlobals();
    const { createElement } = document;
    const create = (name: string) => (name === 'div' ? new FakeBox() : createElement(name));
    Object.assign(document, { body: this.body, head: this.head, readyState: 'interactive', createElement: create });
    vi.stubGlobal(
      'window',
      Object.assign(new EventTarget(), { localStorage: fakeStorage(), outerWidth: 1440, devicePixelRatio: 1 }),
    );
    vi.stubGlobal('location', { search: '' });
    vi.stubGlobal('HTMLTemplateElement', FakeTemplate);
  }

  /** @param draw what the server, or the worker, put into the page; empty: nothing */
  bring(draw: object | 'away' | null | ''): void {
    const elements: Record<string, unknown> = {
      'first-videos': { textContent: draw === '' ? '' : JSON.stringify(draw) },
      'start-text': this.words,
      'engine-files': new FakeTemplate('files of the engine'),
      'saved-files': new FakeTemplate('files of saved videos'),
    };
    Object.assign(document, { getElementById: (id: string) => elements[id] ?? null });
  }

  /** Runs what stands in the page, until what is there has come and the next frame is drawn. */
  async open(draw: object | 'away' | null | ''): Promise<PageStart> {
    this.bring(draw);
    const page = new PageStart();
    window.pageStart = page;
    await vi.advanceTimersByTimeAsync(0);
    this.media.drawFrames(1);
    return page;
  }

  /** Runs the script itself, which decides whether anything is started. */
  async runScript(draw: object | null, search = ''): Promise<Window['pageStart']> {
    this.bring(draw);
    vi.stubGlobal('location', { search });
    vi.resetModules();
    await import('#app/start/page-script.ts');
    await vi.advanceTimersByTimeAsync(0);
    return window.pageStart;
  }

  see(isSeen: boolean): void {
    Object.assign(document, { hidden: !isSeen });
    document.dispatchEvent(new Event('visibilitychange'));
  }

  /** The browser notifies the target by itself. */
  tap(): void {
    for (const name of ['pointerdown', 'click']) {
      document.dispatchEvent(Object.defineProperty(new Event(name), 'target', { value: this.body.children[0] }));
    }
  }

  press(key: string): void {
    document.dispatchEvent(Object.assign(new Event('keydown'), { key }));
  }

  paused(): boolean[] {
    return this.media.videos.map(({ paused }) => paused);
  }

  sources(): (string | undefined)[] {
    return this.media.videos.filter((video) => video.hasAttribute('src')).map(({ src }) => src.split('?')[0]);
  }

  end(): void {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  }
}
