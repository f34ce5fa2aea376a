/*
 * What React, valtio and the others use and Chromium 79 lacks. Loaded before everything else; the build lowers syntax, not
 * these. Our own code does not need them: its `lib` is ES2020.
 */

interface Sequence {
  readonly length: number;
  readonly [index: number]: unknown;
}

export function at(this: Sequence, index: number): unknown {
  const whole = Math.trunc(index) || 0;
  return this[whole < 0 ? this.length + whole : whole];
}

export function hasOwn(object: object, key: PropertyKey): boolean {
  return Object.getOwnPropertyDescriptor(Object(object), key) !== undefined;
}

function supply(owner: object, name: string, value: unknown): void {
  if (name in owner) return;
  Object.defineProperty(owner, name, { value, writable: true, configurable: true });
}

supply(Object, 'hasOwn', hasOwn);
for (const owner of [Array.prototype, String.prototype, Object.getPrototypeOf(Int8Array.prototype)]) supply(owner, 'at', at);
