import type { EnginePage } from '#tests/support/engine-page.ts';
import type { InputSource } from './pointer-actions.ts';
import { ActionsPage } from './pointer-actions.ts';

type Outcome = { readonly value: unknown } | { readonly error: string };

/** A page driven by the calls of W3C WebDriver. */
export class WebDriverPage extends ActionsPage implements EnginePage {
  readonly #session: string;

  private constructor(session: string) {
    super();
    this.#session = session;
  }

  /** @param driver its address; `browser` is the program that it starts */
  static async open(driver: string, browser: string): Promise<WebDriverPage> {
    const wishes = { 'webkitgtk:browserOptions': { binary: browser, args: [] } };
    const { sessionId } = await send<{ sessionId: string }>('POST', `${driver}/session`, {
      capabilities: { alwaysMatch: wishes },
    });
    return new WebDriverPage(`${driver}/session/${sessionId}`);
  }

  /** Makes the page this large: the window has a bar of its own. */
  async resize(width: number, height: number): Promise<void> {
    await this.#post('window/rect', { x: 0, y: 0, width, height });
    const inner = await this.evaluate(() => ({ width: innerWidth, height: innerHeight }), null);
    await this.#post('window/rect', { x: 0, y: 0, width: 2 * width - inner.width, height: 2 * height - inner.height });
  }

  /**
   * An error that is thrown before the load event is not heard: nothing can be put into a page before its own scripts.
   */
  async open(address: string): Promise<void> {
    await this.#post('url', { url: address });
    await this.evaluate(watchErrors, null);
  }

  async evaluate<Input, Output>(work: (input: Input) => Output | Promise<Output>, input: Input): Promise<Output> {
    const script = `var done = arguments[0];
      new Promise(function (resolve) { resolve((${work})(${JSON.stringify(input) ?? 'undefined'})); })
        .then(function (value) { done({ value: value }); }, function (error) { done({ error: String(error) }); });`;
    const outcome = (await this.#post('execute/async', { script, args: [] })) as Outcome;
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.value as Output;
  }

  async goBack(): Promise<void> {
    await this.#post('back', {});
  }

  async takePicture(): Promise<Buffer> {
    return Buffer.from(await send<string>('GET', `${this.#session}/screenshot`), 'base64');
  }

  takeErrors(): Promise<string[]> {
    return this.evaluate(() => (window as unknown as { heardErrors: string[] }).heardErrors.splice(0), null);
  }

  /** The browser may end before the driver can answer. */
  async close(): Promise<void> {
    await send('DELETE', this.#session).catch(() => {});
  }

  protected async perform(actions: InputSource[]): Promise<void> {
    await this.#post('actions', { actions });
  }

  #post(path: string, body: object): Promise<unknown> {
    return send('POST', `${this.#session}/${path}`, body);
  }
}

async function send<Value>(method: string, address: string, body?: object): Promise<Value> {
  const answer = await fetch(address, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const { value } = (await answer.json()) as { value: Value & { error?: string; message?: string } };
  if (!answer.ok) throw new Error(`${method} ${new URL(address).pathname}: ${value.error} ${value.message}`);
  return value;
}

/** Runs in the page. */
function watchErrors(): void {
  const heard: string[] = [];
  Object.assign(window, { heardErrors: heard });
  addEventListener('error', ({ message }) => heard.push(message));
  addEventListener('unhandledrejection', ({ reason }) => heard.push(String(reason)));
}
