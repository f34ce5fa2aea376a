import type { HttpRequest, HttpResponse, HttpStack } from 'tus-js-client';

/** What happens to one request. `cutAt`: the connection ends when the server has so many of its bytes. */
export type Fault =
  | { kind: 'cut'; at: number }
  | { kind: 'stall'; at: number }
  | { kind: 'status'; status: number; statusText?: string; headers?: Record<string, string> }
  /** A captive portal's page. */
  | { kind: 'page' }
  /** The answer gets lost, after the server has done what was asked. */
  | { kind: 'lost' };

/** The part of a file that a request carries. */
export interface FakeBody {
  size: number;
  /** Absent from real ones. */
  file?: string;
  start?: number;
}

interface StoredFile {
  size: number;
  length: number;
  key: string;
  isGone: boolean;
}

const stepMs = 50;

/** Addresses as the product's server has them, over a link with a speed, on the clock of the test. */
export class FakeUploadServer implements HttpStack {
  readonly files = new Map<string, StoredFile>();
  readonly asked: string[] = [];
  /** By method; the next request takes the first one. */
  readonly faults: Partial<Record<string, Fault[]>> = {};
  bytesPerSecond = 1024 ** 2;
  /** All bodies together. */
  receivedBytes = 0;
  isAway = false;
  running = 0;
  mostRunning = 0;
  /** Headers of the last request. */
  lastHeaders: Record<string, string> = {};
  /** What ends the connections that are open. */
  readonly cuts = new Set<() => void>();

  add(address: string, size: number, key: string): void {
    this.files.set(address, { size, length: 0, key, isGone: false });
  }

  createRequest(method: string, url: string): HttpRequest {
    return new FakeRequest(this, method, url);
  }

  getName(): string {
    return 'fake';
  }

  cutAll(): void {
    for (const cut of [...this.cuts]) cut();
  }
}

class FakeRequest implements HttpRequest {
  private readonly headers: Record<string, string> = {};
  private onProgress: (bytes: number) => void = () => {};
  private stop = () => {};
  private readonly server: FakeUploadServer;
  private readonly method: string;
  private readonly url: string;

  constructor(server: FakeUploadServer, method: string, url: string) {
    this.server = server;
    this.method = method;
    this.url = url;
  }

  getMethod = () => this.method;
  getURL = () => this.url;
  getHeader = (name: string) => this.headers[name];
  getUnderlyingObject = () => null;

  setHeader(name: string, value: string): void {
    this.headers[name] = value;
  }

  setProgressHandler(handler: (bytes: number) => void): void {
    this.onProgress = handler;
  }

  async abort(): Promise<void> {
    this.stop();
  }

  send(body: FakeBody | null = null): Promise<HttpResponse> {
    const { server } = this;
    server.asked.push(`${this.method} ${this.url}`);
    server.lastHeaders = this.headers;
    if (server.isAway) return Promise.reject(new Error('away'));
    const fault = server.faults[this.method]?.shift();
    return body === null ? this.answer(fault) : this.transfer(body, fault);
  }

  private transfer(body: FakeBody, fault: Fault | undefined): Promise<HttpResponse> {
    const { server } = this;
    const refused = this.refusal(body, fault);
    if (refused) return Promise.resolve(refused);
    const stored = server.files.get(this.url) as StoredFile;
    if (this.method === 'PUT') stored.length = 0;
    let sent = 0;
    server.running += 1;
    server.mostRunning = Math.max(server.mostRunning, server.running);
    return new Promise((resolve, reject) => {
      const end = () => {
        clearInterval(timer);
        server.cuts.delete(cut);
        server.running -= 1;
        this.stop = () => {};
      };
      const cut = () => {
        end();
        reject(new Error('cut'));
      };
      const limit = fault?.kind === 'cut' || fault?.kind === 'stall' ? Math.min(fault.at, body.size) : body.size;
      const step = () => {
        const bytes = Math.min(Math.ceil((server.bytesPerSecond * stepMs) / 1000), limit - sent);
        sent += bytes;
        server.receivedBytes += bytes;
        stored.length += bytes;
        if (bytes > 0) this.onProgress(sent);
        if (sent < limit || fault?.kind === 'stall') return;
        if (fault?.kind === 'cut' || fault?.kind === 'lost') return cut();
        end();
        resolve(this.confirm(stored));
      };
      this.stop = end;
      server.cuts.add(cut);
      const timer = setInterval(step, stepMs);
    });
  }

  private confirm(stored: StoredFile): HttpResponse {
    return this.method === 'PUT' ? answerOf(201) : answerOf(204, { 'Upload-Offset': String(stored.length) });
  }

  private async answer(fault: Fault | undefined): Promise<HttpResponse> {
    const refused = this.refusal(null, fault);
    if (refused) return refused;
    const stored = this.server.files.get(this.url) as StoredFile;
    return answerOf(200, { 'Upload-Offset': String(stored.length), 'Upload-Length': String(stored.size) });
  }

  private refusal(body: FakeBody | null, fault: Fault | undefined): HttpResponse | null {
    if (fault?.kind === 'status') return answerOf(fault.status, fault.headers, fault.statusText);
    if (fault?.kind === 'page') return answerOf(200, { 'Content-Type': 'text/html' });
    const stored = this.server.files.get(this.url);
    if (!stored || stored.key !== this.headers.AccessKey) return answerOf(404, {}, 'Not Found');
    if (stored.isGone) return answerOf(410, {}, 'Gone');
    if (body === null || this.method === 'PUT') return null;
    const { start = stored.length } = body;
    if (Number(this.headers['Upload-Offset']) !== stored.length || start !== stored.length)
      return answerOf(409, {}, 'Conflict');
    return null;
  }
}

function answerOf(status: number, headers: Record<string, string> = {}, statusText = ''): HttpResponse {
  return {
    getStatus: () => status,
    getHeader: (name) => headers[name],
    getBody: () => '',
    getUnderlyingObject: () => ({ statusText }),
  };
}

/** A file in place of which its name and the part that is read stand. */
export function fakeSource(file: string, size: number) {
  return {
    size,
    slice: async (start: number, end: number) => ({ file, start, size: end - start }) as unknown as Blob,
  };
}
