/** Everything that travels in one call. Keys are the wire's own. */
interface EndpointShape {
  params?: object;
  query?: object;
  body?: object;
  reply: unknown;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call (§6). `open`: anyone, even while the site gate is closed; `anyone`: no account needed; `user`: signed
 * in; `admin`: effective tier admin; `key`: whoever holds the key that the call is about; `user-or-key`: either. Calls
 * of a `user` about something owned answer 404 to everybody but its owner.
 */
type Caller = 'open' | 'anyone' | 'user' | 'admin' | 'key' | 'user-or-key';

/**
 * What a call counts as in the budgets of all calls. `none`: bytes, which a player asks for by the hundred; `heavy`: an
 * answer that takes the server many times the work of the usual one.
 */
export type CallBudget = 'none' | 'usual' | 'heavy';

/** What a call asks for and what it may cost (§7 Facts of a call). The server enforces each of them in one place. */
export interface CallFacts {
  /** Whether it can be called while the site gate is closed. */
  gate: 'open' | 'closed';
  /**
   * What tells who is calling. Media elements and the page itself cannot send a bearer token: their calls, which change
   * nothing, take the session's cookie too.
   */
  credential: 'bearer' | 'bearer-or-cookie' | 'bearer-or-key' | 'key';
  /**
   * An access token that has run out. Where no account is needed, its owner would be taken for anonymous and lose
   * blocklist and HD without a word: the refusal makes the app renew it. It is ignored where the app asks what is the
   * matter, and where it signs in.
   */
  expiredToken: 'refused' | 'ignored';
  /** False: it answers while the database does not, and asks it nothing on the way. */
  needsDatabase: boolean;
  /** Largest body. */
  bodyKiB: number;
  /** Not answered by then, it is refused; bytes that are already on their way go on. Infinity where bytes come in. */
  deadlineSeconds: number;
  /** Whether it takes an `Idempotency-Key`. */
  isRepeatable: boolean;
  budget: CallBudget;
}

declare const shapeOf: unique symbol;

/** A call that both sides know: its method, path, caller and facts at run time, its shapes for the compiler only. */
export interface Endpoint<Shape extends EndpointShape = EndpointShape> {
  readonly method: Method;
  /** `{name}` stands for one path segment. */
  readonly path: string;
  readonly caller: Caller;
  /** Only what differs from the usual: `factsOf` has them all. */
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

/** Less than the app's own patience (picks 10 s, other calls 15 s), so that a viewer learns why. */
export const usualFacts = {
  expiredToken: 'refused',
  needsDatabase: true,
  bodyKiB: 16,
  deadlineSeconds: 12,
  budget: 'usual',
} as const;

/**
 * All facts of a call. Who may call settles the gate and the credential, unless the call says otherwise; what only
 * reads need not be repeatable.
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
