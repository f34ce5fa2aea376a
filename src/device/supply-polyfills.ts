import { allSettled, assign, at, flat, flatMap, fromEntries, hasOwn, queueMicrotask } from './polyfills.ts';

/*
 * Supplies what this engine lacks. Loaded before everything that uses it, by the page only where something is missing.
 * `scripts/too-new-code.ts` refuses what came after Chromium 68 and is not listed here.
 */
const supplies: readonly (readonly [owners: readonly object[], name: string, value: unknown])[] = [
  [[self], 'globalThis', self],
  [[self], 'queueMicrotask', queueMicrotask],
  [[Object], 'hasOwn', hasOwn],
  [[Object], 'fromEntries', fromEntries],
  [[Promise], 'allSettled', allSettled],
  [[Array.prototype], 'flat', flat],
  [[Array.prototype], 'flatMap', flatMap],
  [[Array.prototype, String.prototype, Object.getPrototypeOf(Int8Array.prototype)], 'at', at],
];

// Early builds of Chromium 68 assign nothing to a proxy, or never come back from it, and a trial spoils what follows.
// 69 came with `flat`.
if (!('flat' in Array.prototype)) Object.assign = assign;

for (const [owners, name, value] of supplies) {
  for (const owner of owners)
    if (!(name in owner)) Object.defineProperty(owner, name, { value, writable: true, configurable: true });
}
