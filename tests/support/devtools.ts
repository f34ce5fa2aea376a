import { once } from 'node:events';

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { message: string } | string;
  /** Of an error that has a code alone in `error`, as in WebDriver BiDi. */
  readonly message?: string;
}

interface Waiting {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

/**
 * One connection to a browser or a page that speaks the DevTools protocol, or WebDriver BiDi: they differ in how they
 * word an error.
 */
export class DevTools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, ((params: Record<string, unknown>) => void)[]>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', (event) => this.#receive(JSON.parse(String(event.data)) as Reply));
    socket.addEventListener('close', () => this.#abandon());
  }

  static async connect(address: string): Promise<DevTools> {
    const socket = new WebSocket(address);
    await Promise.race([
      once(socket, 'open'),
      once(socket, 'error').then(() => Promise.reject(new Error(`no DevTools at ${address}`))),
    ]);
    return new DevTools(socket);
  }

  send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject: (error) => reject(new Error(`${method}: ${error.message}`)) });
    });
  }

  on(method: string, listener: (params: Record<string, unknown>) => void): void {
    this.#listeners.set(method, [...(this.#listeners.get(method) ?? []), listener]);
  }

  close(): void {
    this.#socket.close();
  }

  #receive({ id, method, params, result, error, message }: Reply): void {
    if (method !== undefined) {
      for (const listener of this.#listeners.get(method) ?? []) listener(params ?? {});
      return;
    }
    const waiting = this.#waiting.get(id ?? 0);
    this.#waiting.delete(id ?? 0);
    if (error === undefined) waiting?.resolve(result ?? {});
    else waiting?.reject(new Error(typeof error === 'string' ? `${error}: ${message}` : error.message));
  }

  #abandon(): void {
    for (const waiting of this.#waiting.values()) waiting.reject(new Error('the browser closed the connection'));
    this.#waiting.clear();
  }
}
