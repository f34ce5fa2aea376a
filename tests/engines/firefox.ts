import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages } from '#tests/support/debian-packages.ts';
import { DevTools } from '#tests/support/devtools.ts';
import type { EnginePage, RunningEngine } from '#tests/support/engine-page.ts';
import type { InputSource } from './pointer-actions.ts';
import { ActionsPage } from './pointer-actions.ts';
import { end, readLine } from './processes.ts';
import { windowSize } from './window-size.ts';

/** Firefox ESR of Debian, driven by WebDriver BiDi, which it speaks itself. */
export async function startFirefox(): Promise<RunningEngine> {
  await ensurePackages(['firefox-esr', 'libavcodec59']);
  const profile = await mkdtemp(join(tmpdir(), 'fourfold-firefox-'));
  const child = spawn(
    'firefox-esr',
    ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: profile },
    },
  );
  const close = async () => {
    await end(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const address = await readLine(child, child.stderr, /WebDriver BiDi listening on (ws:\S+)/);
    return { page: await FirefoxPage.attach(await DevTools.connect(`${address}/session`)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Evaluated {
  readonly type: 'success' | 'exception';
  readonly result?: { readonly value?: string };
  readonly exceptionDetails?: { readonly text: string };
}

class FirefoxPage extends ActionsPage implements EnginePage {
  readonly #connection: DevTools;
  readonly #context: string;
  readonly #errors: string[] = [];

  private constructor(connection: DevTools, context: string) {
    super();
    this.#connection = connection;
    this.#context = context;
    connection.on('log.entryAdded', ({ type, level, text }) => {
      if (type === 'javascript' && level === 'error') this.#errors.push(String(text));
    });
  }

  static async attach(connection: DevTools): Promise<FirefoxPage> {
    await connection.send('session.new', { capabilities: {} });
    const { contexts } = (await connection.send('browsingContext.getTree')) as unknown as {
      contexts: { context: string }[];
    };
    const page = new FirefoxPage(connection, contexts[0]?.context ?? '');
    await connection.send('session.subscribe', { events: ['log.entryAdded'] });
    await page.#send('browsingContext.setViewport', { viewport: windowSize });
    return page;
  }

  async open(address: string): Promise<void> {
    await this.#send('browsingContext.navigate', { url: address, wait: 'complete' });
  }

  async evaluate<Input, Output>(work: (input: Input) => Output | Promise<Output>, input: Input): Promise<Output> {
    const expression = `Promise.resolve((${work})(${JSON.stringify(input) ?? 'undefined'})).then(function (value) { return JSON.stringify(value); })`;
    const answer = await this.#connection.send('script.evaluate', {
      expression,
      target: { context: this.#context },
      awaitPromise: true,
      userActivation: false,
    });
    const { type, result, exceptionDetails } = answer as unknown as Evaluated;
    if (type === 'exception') throw new Error(exceptionDetails?.text);
    return (result?.value === undefined ? undefined : JSON.parse(result.value)) as Output;
  }

  async goBack(): Promise<void> {
    await this.#send('browsingContext.traverseHistory', { delta: -1 });
  }

  async takePicture(): Promise<Buffer> {
    const { data } = await this.#send('browsingContext.captureScreenshot');
    return Buffer.from(String(data), 'base64');
  }

  async takeErrors(): Promise<string[]> {
    return this.#errors.splice(0);
  }

  protected async perform(actions: InputSource[]): Promise<void> {
    await this.#send('input.performActions', { actions });
  }

  #send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return this.#connection.send(method, { context: this.#context, ...params });
  }
}
