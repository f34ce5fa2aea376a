import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { BodyOf, CallFacts, Endpoint, ParamsOf, QueryOf, ReplyOf } from '#contract/endpoint.ts';
import { factsOf } from '#contract/endpoint.ts';
import { plainWords } from '#contract/entities/error-reply.ts';
import type { RequestMetrics } from '../../metrics/request-metrics.ts';
import { Refusal } from './errors.ts';
import type { Caller, IdentifyCaller } from './guards.ts';
import { anonymous, guard } from './guards.ts';
import type { ClaimKey } from './repeat-answers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    identifyCaller: IdentifyCaller;
  }
  interface FastifyRequest {
    /** Null until the guard has run. */
    caller: Caller | null;
    /** The facts of the call; null for files, refusals and unknown URLs. */
    facts: CallFacts | null;
    /**
     * Aborts when nobody needs the answer any more: at the deadline, or when the client
     * disconnects.
     */
    abandonment: AbortController | null;
  }
  interface FastifyContextConfig {
    /** The contract's endpoint that the route answers; files and refusals have none. */
    endpoint?: Endpoint;
    /**
     * The facts of the endpoint. A route without an endpoint has none or sets its own: upload bytes
     * pass the gate because their key authorizes them.
     */
    facts?: CallFacts;
    /** Whether the route reads a request body. */
    takesBody?: boolean;
  }
}

type SchemaOf<Input> = z.ZodType<unknown, Input>;

/** A schema for each part that the endpoint carries, and none for the parts that it does not. */
type SchemasOf<E> = {
  [Part in 'params' | 'query' | 'body' as PartShape<E, Part> extends undefined ? never : Part]: SchemaOf<
    PartShape<E, Part>
  >;
};

interface PartShapes<E> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
}
type PartShape<E, Part extends keyof PartShapes<E>> = PartShapes<E>[Part];

type Parsed<Schemas> = {
  [Part in keyof Schemas]: Schemas[Part] extends z.ZodType<infer Output, infer _Input> ? Output : never;
};

type RouteInput<Schemas> = Parsed<Schemas> & {
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
  claimKey: ClaimKey;
  /**
   * Aborts work that is useless once the answer is no longer needed: at the deadline, or when the
   * client disconnects.
   */
  signal: AbortSignal;
};

/** Returned by handlers that have sent the answer themselves: bytes, a 304. */
export const answered = Symbol('answered');

interface RouteOptions {
  /**
   * `itself`: the handler claims the `Idempotency-Key` once its own limits have let the call
   * through; a call that never claims it is not repeatable.
   */
  claimsKey?: 'at-once' | 'itself';
}

type Handler<E, Schemas> = (input: RouteInput<Schemas>) => Promise<ReplyOf<E> | typeof answered>;

/**
 * Connects an endpoint of the contract with its handler: checks the caller, parses the input, and
 * sends what the handler returns.
 */
export function route<E extends Endpoint, Schemas extends SchemasOf<E>>(
  app: FastifyInstance,
  endpoint: E,
  schemas: Schemas,
  handler: Handler<E, Schemas>,
  { claimsKey = 'at-once' }: RouteOptions = {},
): void {
  const facts = factsOf(endpoint);
  app.route({
    method: endpoint.method,
    url: toFastifyPath(endpoint.path),
    config: { endpoint, facts, takesBody: 'body' in schemas },
    bodyLimit: facts.bodyKiB * 1024,
    // Runs before the body is read, so that nothing is parsed for callers without access.
    onRequest: async (request) => {
      const caller = facts.needsDatabase ? await app.identifyCaller(request) : anonymous;
      guard(endpoint, facts, caller, request.headers.accesskey !== undefined);
      request.caller = caller;
    },
    handler: async (request, reply) => {
      const parsed = parseParts(schemas, request);
      const claimKey = await app.answerAgain(request, reply, 'body' in parsed ? parsed.body : null);
      if (claimKey === null) return reply;
      if (claimsKey === 'at-once') await claimKey();
      const signal = request.abandonment?.signal ?? neverAborted;
      const caller = request.caller ?? anonymous;
      // The deadline may send an answer before the handler ends.
      const isOver = () => signal.aborted && reply.sent;
      const answer = await handler({ ...parsed, caller, request, reply, claimKey, signal }).catch((error: unknown) => {
        if (isOver()) return answered;
        throw error;
      });
      if (answer === answered || isOver()) return reply;
      return answer === null ? reply.code(204).send() : reply.send(answer);
    },
  });
}

const neverAborted = new AbortController().signal;

/** `/api/videos/{path}/tags` as Fastify writes it: `/api/videos/:path/tags`. */
export function toFastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function parseParts<Schemas extends Partial<Record<'params' | 'query' | 'body', z.ZodType>>>(
  schemas: Schemas,
  request: FastifyRequest,
): Parsed<Schemas> {
  const parsed: Record<string, unknown> = {};
  for (const [part, schema] of Object.entries(schemas))
    parsed[part] = schema.parse(request[part as 'params' | 'query' | 'body'] ?? {}, { error: plainWords });
  if (hasNul(parsed)) throw new Refusal('bad_request');
  return parsed as Parsed<Schemas>;
}

/** PostgreSQL cannot store NUL, so that no text of a backup may have it either. */
function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNul);
}

/** Sets the facts of the call on each request. Must be added before the hooks that enforce them. */
export function provideFacts(app: FastifyInstance): void {
  app.decorateRequest('facts', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.facts = request.routeOptions.config.facts ?? null;
    done();
  });
}

/**
 * Counts every request when it ends, even if the client disconnects. Must be added before all hooks
 * that refuse requests. Requests that cannot be parsed, or whose URL cannot, reach no hook.
 */
export function measureRequests(app: FastifyInstance, metrics: RequestMetrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply;
    metrics.begin();
    // Fastify calls no hook for an aborted answer, whose response has not ended.
    raw.on('close', () => {
      const { method, routeOptions } = request;
      const status = raw.writableEnded ? raw.statusCode : null;
      metrics.end({ method, route: routeOptions.url, status, seconds: reply.elapsedTime / 1000 });
    });
    done();
  });
}
