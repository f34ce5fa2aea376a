import type { CDPSession, Page } from '@playwright/test';

export interface LiveVideos {
  /** Elements that exist in the page's memory, and those of them that are no part of the document. */
  readonly elements: number;
  readonly detached: number;
  /** That have a source. */
  readonly sources: number;
}

/** Every `<video>` that the engine keeps alive, whether the document has it or not. */
export async function countLiveVideos(page: Page): Promise<LiveVideos> {
  const devtools = await page.context().newCDPSession(page);
  try {
    await devtools.send('HeapProfiler.collectGarbage');
    return await askEngine(devtools);
  } finally {
    await devtools.detach();
  }
}

async function askEngine(devtools: CDPSession): Promise<LiveVideos> {
  const { result: prototype } = await devtools.send('Runtime.evaluate', { expression: 'HTMLVideoElement.prototype' });
  const { objects } = await devtools.send('Runtime.queryObjects', { prototypeObjectId: prototype.objectId ?? '' });
  const { result } = await devtools.send('Runtime.callFunctionOn', {
    objectId: objects.objectId,
    functionDeclaration: `function () {
      const videos = [...this];
      const count = (isCounted) => videos.filter(isCounted).length;
      return { elements: videos.length, detached: count((one) => !one.isConnected), sources: count((one) => one.hasAttribute('src')) };
    }`,
    returnByValue: true,
  });
  return result.value as LiveVideos;
}

declare global {
  interface Window {
    /** The most sources that videos had at once so far. */
    mostSources: number;
  }
}

/** Runs in the page before its own scripts. */
export function watchSources(): void {
  window.mostSources = 0;
  const videos: HTMLVideoElement[] = [];
  const count = () => {
    window.mostSources = Math.max(window.mostSources, videos.filter((video) => video.hasAttribute('src')).length);
  };
  const create = document.createElement;
  document.createElement = function (this: Document, ...given: Parameters<typeof create>) {
    const made = create.apply(this, given);
    if (made instanceof HTMLVideoElement) {
      videos.push(made);
      made.addEventListener('loadstart', count);
    }
    return made;
  } as typeof create;
}
