/**
 * Creates 128 random bits as hexadecimal. Plain-http pages and old engines have no
 * `crypto.randomUUID`.
 */
export function newRandomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
