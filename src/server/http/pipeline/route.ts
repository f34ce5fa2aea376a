import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { BodyOf, CallFacts, Endpoint, ParamsOf, QueryOf, ReplyOf } from '#contract/endpoint.ts';
import { factsOf } from '#contract/endpoint.ts';
import { plainWords } from '#contract/entities/error-reply.ts';
import type { RequestMetrics } from '../../metrics/request-metrics.ts';
import type { Caller, IdentifyCaller } from './guards.ts';
import { anonymous, guard } from './guards.ts';
import type { ClaimKey } from './repeat-answers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    identifyCaller: IdentifyCaller;
  }
  interface FastifyRequest {
    /** Null until the guard has looked. */
    caller: Caller | null;
    /** Of the call that is made; null for files, refusals and what does not exist. */
    facts: CallFacts | null;
    /** Aborts when nobody waits for the answer any more: at the deadline, or when the client has gone. */
    abandonment: AbortController | null;
  }
  interface FastifyContextConfig {
    /** The call of the contract that the route answers; files and refusals have none. */
    endpoint?: Endpoint;
    /**
     * Those of its call. A route of no call has none, or brings its own: bytes of uploads are open at the gate, as
     * their key is their authority.
     */
    facts?: CallFacts;
    /** What is sent in its body is read. */
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
  /** For work that is of no use once nobody waits for the answer: at the deadline, and when the client has gone. */
  signal: AbortSignal;
};

/** What a handler returns that has answered by itself: bytes, a 304. */
export const answered = Symbol('answered');

interface RouteOptions {
  /**
   * `itself`: the handler claims the `Idempotency-Key`, once its own limits have let the call through; one that never
   * does is not repeated.
   */
  claimsKey?: 'at-once' | 'itself';
}

type Handler<E, Schemas> = (input: RouteInput<Schemas>) => Promise<ReplyOf<E> | typeof answered>;

/**
 * Joins an endpoint of the contract to what it does here: guards, parses what came in, and sends what the handler
 * returns.
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
    // Before the body is read: who may not call has nothing parsed.
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
      const answer = await handler({ ...parsed, caller, request, reply, claimKey, signal }).catch((error: unknown) => {
        // The deadline has answered already.
        if (signal.aborted && reply.sent) return answered;
        throw error;
      });
      if (answer === answered) return reply;
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
  return parsed as Parsed<Schemas>;
}

/** Puts the facts of the call on each request, for every hook that enforces one. Before all of them. */
export function provideFacts(app: FastifyInstance): void {
  app.decorateRequest('facts', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.facts = request.routeOptions.config.facts ?? null;
    done();
  });
}

/**
 * Counts every request when it ends, also where its client goes away. Before all hooks that refuse. What cannot be read
 * as HTTP, or as an address, comes to no hook.
 */
export function measureRequests(app: FastifyInstance, metrics: RequestMetrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply;
    metrics.begin();
    // No hook is told of an answer that was cut: that one has not come to its end.
    raw.on('close', () => {
      const { method, routeOptions } = request;
      const status = raw.writableEnded ? raw.statusCode : null;
      metrics.end({ method, route: routeOptions.url, status, seconds: reply.elapsedTime / 1000 });
    });
    done();
  });
}
