/** The data of one call, under the keys that are sent. */
interface EndpointShape {
  params?: object;
  query?: object;
  body?: object;
  reply: unknown;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call (§6). `open`: anyone, even while the site gate is closed; `anyone`: no account
 * needed; `user`: signed in; `admin`: effective tier admin; `key`: the holder of the key that the
 * call is about; `user-or-key`: either. Calls of a `user` about an owned object answer 404 to
 * everyone but its owner.
 */
type Caller = 'open' | 'anyone' | 'user' | 'admin' | 'key' | 'user-or-key';

/**
 * The cost of a call in the rate budgets. `none`: bytes, which a player requests by the hundred;
 * `heavy`: an answer that takes the server many times the work of the usual one.
 */
export type CallBudget = 'none' | 'usual' | 'heavy';

/**
 * The requirements and the cost of a call (§7 Facts of a call). The server enforces each of them in
 * one place.
 */
export interface CallFacts {
  /** Whether it can be called while the site gate is closed. */
  gate: 'open' | 'closed';
  /**
   * The proof of who is calling. Media elements and page loads cannot send a bearer token: their
   * calls, which change nothing, accept the session's cookie too.
   */
  credential: 'bearer' | 'bearer-or-cookie' | 'bearer-or-key' | 'key';
  /**
   * The treatment of an expired access token. On a call that needs no account, its owner would be
   * taken for anonymous and silently lose blocklist and HD: the refusal makes the app renew the
   * token. Calls that sign in, or that the app makes to find out what is wrong, ignore it.
   */
  expiredToken: 'refused' | 'ignored';
  /** False: the call answers while the database does not, and never queries it. */
  needsDatabase: boolean;
  /** Largest body. */
  bodyKiB: number;
  /**
   * A call that is not answered by then is refused; an answer that has begun is sent to its end.
   * Infinity for calls that receive a file's bytes.
   */
  deadlineSeconds: number;
  /** Whether the call accepts an `Idempotency-Key`. */
  isRepeatable: boolean;
  budget: CallBudget;
  refused: CallRefusal;
}

/**
 * When a server that has too much to do refuses a call. `first`: reports, and answers that are as
 * large as a search; `list`: like `usual`, and `first` with a `search`; `never`: what somebody who
 * is watching or sending needs to go on.
 */
export type CallRefusal = 'first' | 'list' | 'usual' | 'never';

declare const shapeOf: unique symbol;

/**
 * A call of the contract: its method, path, caller and facts at run time, its shapes for the
 * compiler only.
 */
export interface Endpoint<Shape extends EndpointShape = EndpointShape> {
  readonly method: Method;
  /** `{name}` stands for one path segment. */
  readonly path: string;
  readonly caller: Caller;
  /** Only the facts that differ from `usualFacts`; `factsOf` returns all of them. */
  readonly facts?: Partial<CallFacts>;
  readonly [shapeOf]?: Shape;
}

type PartOf<E, Part extends keyof EndpointShape> =
  E extends Endpoint<infer Shape> ? (Part extends keyof Shape ? Shape[Part] : undefined) : never;

export type ParamsOf<E> = PartOf<E, 'params'>;
export type QueryOf<E> = PartOf<E, 'query'>;
export type BodyOf<E> = PartOf<E, 'body'>;
export type ReplyOf<E> = PartOf<E, 'reply'>;

/*@__NO_SIDE_EFFECTS__*/
export function endpoint<Shape extends EndpointShape>(
  method: Method,
  path: string,
  caller: Caller,
  facts?: Partial<CallFacts>,
): Endpoint<Shape> {
  return { method, path, caller, facts };
}

/**
 * The deadline is shorter than the app's own timeout (picks 10 s, other calls 15 s), so that a
 * viewer learns the reason.
 */
export const usualFacts = {
  expiredToken: 'refused',
  needsDatabase: true,
  bodyKiB: 16,
  deadlineSeconds: 12,
  budget: 'usual',
  refused: 'usual',
} as const;

/**
 * All facts of a call. The caller decides the gate and the credential unless the call overrides
 * them; calls that only read are not repeatable.
 */
export function factsOf({ method, caller, facts }: Pick<Endpoint, 'method' | 'caller' | 'facts'>): CallFacts {
  return {
    ...usualFacts,
    gate: caller === 'open' || caller === 'key' ? 'open' : 'closed',
    credential: caller === 'key' ? 'key' : caller === 'user-or-key' ? 'bearer-or-key' : 'bearer',
    isRepeatable: method !== 'GET',
    ...facts,
  };
}
