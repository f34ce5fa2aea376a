/**
 * A random id, unique on any device. Plain-http addresses and old engines lack `crypto.randomUUID`, not
 * `getRandomValues`.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
