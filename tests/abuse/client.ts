import type { IncomingHttpHeaders } from 'node:http';
import { Agent as PlainAgent, request as requestPlainly } from 'node:http';
import { request as requestSecurely, Agent as SecureAgent } from 'node:https';
import type { Readable } from 'node:stream';

export interface Reply {
  /** 0: the connection was cut, or nothing was answered in time. */
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Question {
  /** Sent as JSON, unless it is text, bytes or a stream. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Somebody at one address. */
export interface Client {
  /** What each of its calls carries. */
  readonly headers: Record<string, string>;
  ask(method: string, path: string, question?: Question): Promise<Reply>;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  close(): void;
}

export interface ClientOptions {
  address: string;
  /** An address of loopback, from which it connects. */
  from: string;
  headers: Record<string, string>;
  /** Sees each answer. */
  inspect(method: string, path: string, reply: Reply): void;
}

const answerLimitMs = 20_000;
const connectionsOfOne = 40;

export function createClient({ address, from, headers, inspect }: ClientOptions): Client {
  const isSecure = address.startsWith('https:');
  const options = { keepAlive: true, maxSockets: connectionsOfOne };
  const agent = isSecure ? new SecureAgent(options) : new PlainAgent(options);
  const request = isSecure ? requestSecurely : requestPlainly;
  const { hostname, port } = new URL(address);

  async function ask(method: string, path: string, question: Question = {}): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const body = toBody(question.body);
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const length: Record<string, string> =
      typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const sent = request({
      ...{ agent, hostname, port, method, path, localAddress: from, rejectUnauthorized: false },
      headers: { ...type, ...length, ...headers, ...question.headers },
      signal: AbortSignal.timeout(answerLimitMs),
    });
    const cut = () => resolve({ status: 0, headers: {}, body: '' });
    sent.on('error', cut).on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer
        .on('error', cut)
        .on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
    });
    if (typeof body === 'object') body.on('error', () => {}).pipe(sent);
    else sent.end(body);
    const reply = await promise;
    inspect(method, path, reply);
    return reply;
  }

  return {
    headers,
    ask,
    get: (path, more = {}) => ask('GET', path, { headers: more }),
    post: (path, body, more = {}) => ask('POST', path, { body, headers: more }),
    close: () => agent.destroy(),
  };
}

function toBody(body: unknown): string | Readable | undefined {
  if (body === undefined || typeof body === 'string') return body;
  if (typeof body === 'object' && body !== null && 'pipe' in body) return body as Readable;
  return JSON.stringify(body);
}

/** The JSON object of an answer; one without fields for anything else. */
export function fieldsOf({ body }: Reply): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Does it `count` times, so many at a time. @returns what each one gave, in order */
export async function repeat<Result>(
  count: number,
  atOnce: number,
  act: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await act(index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work));
  return results;
}
