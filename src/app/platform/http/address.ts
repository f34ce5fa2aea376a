type Scalar = string | number | boolean;

/** Query values: arrays are joined by a comma, undefined is left out. */
type QueryValue = Scalar | readonly Scalar[] | undefined;

/**
 * Fills `{name}` in a path, percent-encoded as one segment, and adds the query.
 * @throws when a name has no value
 */
export function buildAddress(path: string, params: object = {}, query: object = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(segmentOf(params, name)));
  const search: string[] = [];
  for (const [name, value] of Object.entries(query)) search.push(...pairOf(name, value));
  return search.length === 0 ? filled : `${filled}?${search.join('&')}`;
}

function segmentOf(params: object, name: string): string {
  const value = (params as Record<string, unknown>)[name];
  if (value === undefined) throw new Error(`The address lacks its ${name}`);
  return String(value);
}

function pairOf(name: string, value: QueryValue): string[] {
  if (value === undefined) return [];
  const values: readonly Scalar[] = Array.isArray(value) ? value : [value as Scalar];
  return [`${encodeURIComponent(name)}=${values.map((one) => encodeURIComponent(String(one))).join(',')}`];
}

/** The time that a video may take to start before the signature in its URL expires. */
const startWithinMs = 60_000;

/**
 * Whether a video can still start from a signed URL, whose `expires` is its end in epoch seconds;
 * null for a URL without a signature.
 * @param at epoch milliseconds
 */
export function canStart(url: string, at: number): boolean | null {
  const [, expires] = /[?&]expires=(\d+)/.exec(url) ?? [];
  return expires === undefined ? null : Number(expires) * 1000 > at + startWithinMs;
}

/**
 * Reads a parameter of the page's URL and removes it, so that a reload or a shared link does not
 * repeat it.
 */
export function consumeSearchParam(name: string): string | null {
  const address = new URL(location.href);
  const value = address.searchParams.get(name);
  if (value === null) return null;
  address.searchParams.delete(name);
  history.replaceState(history.state, '', address.pathname + address.search + address.hash);
  return value;
}
