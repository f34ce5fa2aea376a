/** 128 random bits as hexadecimal. Plain-http addresses and old engines lack `crypto.randomUUID`. */
export function newRandomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
