/** Everything that travels in one call. Keys are the wire's own. */
export interface EndpointShape {
  params?: object;
  query?: object;
  body?: object;
  reply: unknown;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call (§6). `open`: anyone, even while the site gate is closed; `anyone`: no account needed; `user`: signed in;
 * `admin`: effective tier admin; `key`: whoever holds the key that the call is about; `user-or-key`: either.
 * Calls of a `user` about something owned answer 404 to everybody but its owner.
 */
export type Caller = 'open' | 'anyone' | 'user' | 'admin' | 'key' | 'user-or-key';

declare const shapeOf: unique symbol;

/** A call that both sides know: its method, path and caller at run time, its shapes for the compiler only. */
export interface Endpoint<Shape extends EndpointShape = EndpointShape> {
  readonly method: Method;
  /** `{name}` stands for one path segment. */
  readonly path: string;
  readonly caller: Caller;
  readonly [shapeOf]?: Shape;
}

type PartOf<E, Part extends keyof EndpointShape> = E extends Endpoint<infer Shape> ? (Part extends keyof Shape ? Shape[Part] : undefined) : never;

export type ParamsOf<E> = PartOf<E, 'params'>;
export type QueryOf<E> = PartOf<E, 'query'>;
export type BodyOf<E> = PartOf<E, 'body'>;
export type ReplyOf<E> = PartOf<E, 'reply'>;

/*@__NO_SIDE_EFFECTS__*/
export function endpoint<Shape extends EndpointShape>(method: Method, path: string, caller: Caller): Endpoint<Shape> {
  return { method, path, caller };
}
