import type { DevTools } from './devtools.ts';
import type { EnginePage, MouseButton } from './engine-page.ts';

interface History {
  readonly currentIndex: number;
  readonly entries: readonly { readonly id: number }[];
}

const keyCodes: Readonly<Record<string, number>> = {
  Tab: 9,
  Enter: 13,
  Escape: 27,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  ContextMenu: 93,
  MediaTrackNext: 176,
  MediaPlayPause: 179,
};

/** A page driven by the DevTools protocol alone, for engines that no current driver supports. */
export class DevToolsPage implements EnginePage {
  /** Uncaught errors and unhandled rejections, in order. */
  readonly errors: string[] = [];
  readonly #devtools: DevTools;

  private constructor(devtools: DevTools) {
    this.#devtools = devtools;
    devtools.on('Runtime.exceptionThrown', ({ exceptionDetails }) =>
      this.errors.push(describeException(exceptionDetails)),
    );
  }

  static async attach(devtools: DevTools): Promise<DevToolsPage> {
    const page = new DevToolsPage(devtools);
    await Promise.all(['Page.enable', 'Runtime.enable', 'Network.enable'].map((method) => devtools.send(method)));
    return page;
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#devtools.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
  }

  /** Runs something in each page before its own scripts. */
  async runFirst<Input>(work: (input: Input) => void, input: Input): Promise<void> {
    await this.#devtools.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `(${work})(${JSON.stringify(input)})`,
    });
  }

  /** Goes to an address; resolves at the page's load event. */
  async open(address: string): Promise<void> {
    const loaded = new Promise((resolve) => this.#devtools.on('Page.loadEventFired', resolve));
    const { errorText } = await this.#devtools.send('Page.navigate', { url: address });
    if (typeof errorText === 'string' && errorText !== '') throw new Error(`${address}: ${errorText}`);
    await loaded;
  }

  async evaluate<Input, Output>(work: (input: Input) => Output | Promise<Output>, input: Input): Promise<Output> {
    return (await this.#run(`(${work})(${JSON.stringify(input) ?? 'undefined'})`)) as Output;
  }

  /** Resolves when `condition` holds in the page. */
  async until<Input>(
    what: string,
    condition: (input: Input) => boolean | Promise<boolean>,
    input: Input,
    limitMs = 60_000,
  ): Promise<void> {
    const end = performance.now() + limitMs;
    while (!(await this.evaluate(condition, input))) {
      if (performance.now() > end) throw new Error(`waited ${limitMs} ms for: ${what}`);
      await this.#run('new Promise(function (resolve) { requestAnimationFrame(resolve); })');
    }
  }

  async moveMouse(x: number, y: number): Promise<void> {
    await this.#devtools.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  }

  async click(x: number, y: number, button: MouseButton = 'left', clickCount = 1): Promise<void> {
    const at = { x, y, button, clickCount };
    await this.#devtools.send('Input.dispatchMouseEvent', { ...at, type: 'mousePressed' });
    await this.#devtools.send('Input.dispatchMouseEvent', { ...at, type: 'mouseReleased' });
  }

  async doubleClick(x: number, y: number): Promise<void> {
    await this.click(x, y);
    await this.click(x, y, 'left', 2);
  }

  async type(text: string): Promise<void> {
    // Chromium 68 has no `Input.insertText`.
    for (const sign of text) await this.#devtools.send('Input.dispatchKeyEvent', { type: 'char', text: sign });
  }

  async goBack(): Promise<void> {
    const { currentIndex, entries } = (await this.#devtools.send('Page.getNavigationHistory')) as unknown as History;
    const before = entries[currentIndex - 1];
    if (before === undefined) throw new Error('there is no page to go back to');
    await this.#devtools.send('Page.navigateToHistoryEntry', { entryId: before.id });
  }

  async takePicture(): Promise<Buffer> {
    const { data } = await this.#devtools.send('Page.captureScreenshot');
    return Buffer.from(String(data), 'base64');
  }

  async takeErrors(): Promise<string[]> {
    return this.errors.splice(0);
  }

  /** One key by its name, as `Tab` or `Enter`. */
  async press(key: string): Promise<void> {
    const code = { key, code: key, windowsVirtualKeyCode: keyCodes[key] };
    await this.#devtools.send('Input.dispatchKeyEvent', {
      ...code,
      type: 'keyDown',
      ...(key === 'Enter' ? { text: '\r' } : {}),
    });
    await this.#devtools.send('Input.dispatchKeyEvent', { ...code, type: 'keyUp' });
  }

  async #run(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#devtools.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(describeException(exceptionDetails));
    return (result as { value: unknown }).value;
  }
}

function describeException(details: unknown): string {
  const { text, exception } = details as { text: string; exception?: { description?: string } };
  return exception?.description ?? text;
}
