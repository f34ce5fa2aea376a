import { polyfills } from './polyfills.ts';

const { allSettled, assign, at, flat, flatMap, fromEntries, hasOwn, queueMicrotask } = polyfills;

/*
 * Supplies the functions that this engine does not have. Loaded before all code that uses them, in
 * the page only when one is missing. `scripts/check-engines.ts` refuses functions that are newer
 * than Chromium 68 and not listed here.
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

// Early builds of Chromium 68 assign nothing to a proxy, or never return, and testing for it breaks
// later calls. Version 69 came with `flat`.
if (!('flat' in Array.prototype)) Object.assign = assign;

for (const [owners, name, value] of supplies) {
  for (const owner of owners)
    if (!(name in owner)) Object.defineProperty(owner, name, { value, writable: true, configurable: true });
}
