/**
 * The three functions of the Reflect metadata proposal that @peculiar/x509 calls while it loads, to
 * register its algorithms. The library leaves the choice of a polyfill to its users; a complete one
 * would add functions that nothing calls.
 */
const metadata = new WeakMap<object, Map<unknown, unknown>>();

function read(key: unknown, target: object): unknown {
  return metadata.get(target)?.get(key);
}

function define(key: unknown, value: unknown, target: object): void {
  const known = metadata.get(target) ?? new Map<unknown, unknown>();
  metadata.set(target, known.set(key, value));
}

if (!('getMetadata' in Reflect))
  Object.assign(Reflect, { getMetadata: read, getOwnMetadata: read, defineMetadata: define });
