import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import type { CallRefusal } from '#contract/endpoint.ts';
import type { Database } from '../database/connection.ts';
import { Refusal } from '../http/pipeline/errors.ts';
import type { RandomBelow } from '../ids.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';

/** The load of a server, as it measures it. */
export interface Strain {
  /** The lateness of the event loop in milliseconds. */
  lateMs: number;
  /** Calls that wait for a connection to the database. */
  waiting: number;
}

type Level = 'calm' | 'busy' | 'flooded';

const lookEveryMs = 250;
/** The looks of two seconds. */
const looksKept = 8;
const resolutionMs = 10;
const busyFrom: Strain = { lateMs: 100, waiting: 20 };
const floodedFrom: Strain = { lateMs: 250, waiting: 100 };
const longestRetrySeconds = 5;

/** Looks at this server four times a second, and says which calls are too many for it. */
export class Overload {
  /** How many calls were refused, by when calls of their kind are refused. */
  readonly refused: Record<Exclude<CallRefusal, 'never'>, number> = { first: 0, list: 0, usual: 0 };
  private readonly look: () => Strain;
  private readonly randomBelow: RandomBelow;
  private readonly lateness: number[] = [];
  private level: Level = 'calm';
  private timer: Repetition | null = null;

  /** @param look what is seen since the look before */
  constructor(look: () => Strain, randomBelow: RandomBelow) {
    this.look = look;
    this.randomBelow = randomBelow;
  }

  start(): void {
    this.timer ??= repeat(() => this.takeLook(), lookEveryMs);
  }

  stop(): void {
    this.timer?.stop();
    this.timer = null;
  }

  takeLook(): void {
    const { lateMs, waiting } = this.look();
    this.lateness.push(lateMs);
    if (this.lateness.length > looksKept) this.lateness.shift();
    // One long pause, as of a garbage collection, is no sign of too many calls.
    const [, late = 0] = this.lateness.toSorted((one, other) => other - one);
    const isFrom = (from: Strain) => late >= from.lateMs || waiting >= from.waiting;
    this.level = isFrom(floodedFrom) ? 'flooded' : isFrom(busyFrom) ? 'busy' : 'calm';
  }

  /** @throws Refusal 503 `overloaded` for a call that is too many at the moment */
  refuse(kind: CallRefusal, isSearch: boolean): void {
    if (this.level === 'calm' || kind === 'never') return;
    const isFirst = kind === 'first' || (kind === 'list' && isSearch);
    if (this.level === 'busy' && !isFirst) return;
    this.refused[kind] += 1;
    // The wait is random, so that clients that were refused together come back apart.
    const seconds = 1 + this.randomBelow(longestRetrySeconds);
    throw new Refusal('overloaded', { headers: { 'retry-after': String(seconds) } });
  }
}

/** Looks at the event loop and at the connections of this process. */
export function createLook(database: Pick<Database, 'load'>): { look(): Strain; end(): void } {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  return {
    look() {
      const lateMs = Math.max(0, delays.max / 1e6 - resolutionMs);
      delays.reset();
      return { lateMs, waiting: database.load().waiting };
    },
    end: () => void delays.disable(),
  };
}

/** Refuses calls before their body is read, and before anybody is looked up. */
export function refuseTooMany(app: FastifyInstance, overload: Pick<Overload, 'refuse'>): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { facts, query } = request;
    try {
      if (facts !== null) overload.refuse(facts.refused, hasSearch(query));
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

function hasSearch(query: unknown): boolean {
  const search = typeof query === 'object' && query !== null && 'search' in query ? query.search : '';
  return typeof search === 'string' && search.trim() !== '';
}
