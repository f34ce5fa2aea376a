/*
 * Standard functions that React, valtio, workbox or the app use and Chromium 68 does not have. The
 * build lowers syntax, not functions.
 */

interface Sequence {
  readonly length: number;
  readonly [index: number]: unknown;
}

function at(this: Sequence, index: number): unknown {
  const whole = Math.trunc(index) || 0;
  return this[whole < 0 ? this.length + whole : whole];
}

function hasOwn(object: object, key: PropertyKey): boolean {
  return Object.getOwnPropertyDescriptor(Object(object), key) !== undefined;
}

function fromEntries(entries: Iterable<readonly [PropertyKey, unknown]>): object {
  const object = {};
  // The property is defined, not assigned, because a key may be `__proto__`.
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  return object;
}

function flat(this: readonly unknown[], depth = 1): unknown[] {
  const flattened: unknown[] = [];
  for (const item of this) {
    if (depth >= 1 && Array.isArray(item)) flattened.push(...flat.call(item, depth - 1));
    else flattened.push(item);
  }
  return flattened;
}

function flatMap(
  this: readonly unknown[],
  map: (item: unknown, index: number, all: readonly unknown[]) => unknown,
  self?: unknown,
): unknown[] {
  return flat.call(this.map(map, self));
}

function allSettled(this: PromiseConstructor, values: Iterable<unknown>): Promise<PromiseSettledResult<unknown>[]> {
  return Promise.all(
    Array.from(values, (value) =>
      Promise.resolve(value).then(
        (result) => ({ status: 'fulfilled', value: result }) as const,
        (reason) => ({ status: 'rejected', reason }) as const,
      ),
    ),
  );
}

/** Errors of the task reach the error handler of the page, as uncaught errors do. */
function queueMicrotask(task: () => void): void {
  Promise.resolve()
    .then(task)
    .catch((error: unknown) =>
      setTimeout(() => {
        throw error;
      }),
    );
}

/** `Object.assign`, one key at a time. */
function assign(target: object, ...sources: readonly unknown[]): object {
  for (const source of sources) {
    if (source === null || source === undefined) continue;
    for (const key of Reflect.ownKeys(Object(source)))
      if (Object.prototype.propertyIsEnumerable.call(source, key))
        (target as Record<PropertyKey, unknown>)[key] = (source as Record<PropertyKey, unknown>)[key];
  }
  return target;
}

export const polyfills = { allSettled, assign, at, flat, flatMap, fromEntries, hasOwn, queueMicrotask };
