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
