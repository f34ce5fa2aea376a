import { setTimeout as wait } from 'node:timers/promises';
import type { RandomBelow } from '#server/ids.ts';
import { serverHeader } from '#tests/proxies/balancers.ts';
import type { Call, Fault, NodeProcess, Outcome, SentFile } from './history.ts';

/** Epoch milliseconds of a clock that never goes back. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Collects what happens, while it happens. */
export class Recorder {
  readonly calls: Call[] = [];
  readonly faults: Fault[] = [];
  readonly processes: NodeProcess[] = [];
  readonly uploads = new Map<string, SentFile>();
}

/** Who answers calls: nodes by their names. */
export type Addresses = ReadonlyMap<string, string>;

export interface Question {
  method: string;
  path: string;
  token?: string | undefined;
  body?: object;
  bytes?: Uint8Array;
  headers?: Record<string, string>;
  /** Asks this node; absent: whichever the balancer chooses. */
  node?: string;
}

export interface Answer {
  node: string | null;
  begin: number;
  end: number;
  heard: number;
  outcome: Outcome;
  /** 0 without an answer. */
  status: number;
  headers: Headers;
  json: unknown;
}

const requestTimeout = 408;

/** Asks the site, through its balancer, or a random node where there is none. */
export class Caller {
  private readonly nodes: Addresses;
  private readonly balancer: string | null;
  private readonly random: RandomBelow;
  private readonly patienceMs: number;

  constructor(site: { nodes: Addresses; balancer: string | null }, random: RandomBelow, patienceMs: number) {
    this.nodes = site.nodes;
    this.balancer = site.balancer;
    this.random = random;
    this.patienceMs = patienceMs;
  }

  async ask({ method, path, token, body, bytes, headers = {}, node }: Question): Promise<Answer> {
    const names = [...this.nodes.keys()];
    const asked = node ?? (this.balancer === null ? (names[this.random(names.length)] ?? '') : null);
    const address = asked === null ? this.balancer : this.nodes.get(asked);
    const begin = now();
    try {
      const reply = await fetch(`${address}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? bytes : JSON.stringify(body),
        signal: AbortSignal.timeout(this.patienceMs),
      } as RequestInit);
      const text = await reply.text();
      const told = reply.headers.get(serverHeader);
      const outcome = outcomeOf(reply.status);
      // An answer without the header is the balancer's own.
      const answering = asked ?? told;
      const heard = now();
      return {
        node: answering,
        begin,
        end: outcome === 'unknown' ? Number.POSITIVE_INFINITY : heard,
        heard,
        outcome,
        status: reply.status,
        headers: reply.headers,
        json: text === '' ? null : parse(text),
      };
    } catch {
      const silent = { node: null, begin, end: Number.POSITIVE_INFINITY, heard: now(), outcome: 'unknown' as const };
      return { ...silent, status: 0, headers: new Headers(), json: null };
    }
  }

  /** Asks again until it is done or refused. */
  async insist(question: Question, againMs = 200): Promise<Answer> {
    for (;;) {
      const answer = await this.ask(question);
      if (answer.outcome !== 'unknown') return answer;
      await wait(againMs);
    }
  }
}

/** A failure of a server says nothing about what it did before. */
function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'done';
  return status >= 400 && status < 500 && status !== requestTimeout ? 'refused' : 'unknown';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
