/** An element of RFC 8794, its length in eight bytes as ffmpeg writes it; `size` lies when it is given. */
export function element(id: number, content: Uint8Array | string = '', size?: bigint): Buffer {
  const body = Buffer.from(content);
  const idBytes = Buffer.from(id.toString(16), 'hex');
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE((1n << 56n) | (size ?? BigInt(body.length)));
  return Buffer.concat([idBytes, length, body]);
}

export const unknownSize = (1n << 56n) - 1n;

export function unsigned(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return element(id, bytes);
}

export function float(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, bytes);
}

export const ebmlHead = (docType = 'webm') => element(0x1a45dfa3, element(0x4282, docType));

/** Four seconds, unless said otherwise. */
export const info = (duration = 4_000) =>
  element(0x1549a966, Buffer.concat([unsigned(0x2ad7b1, 1_000_000), float(0x4489, duration)]));

export const video = (width = 320, height = 180, ...more: Buffer[]) =>
  element(0xe0, Buffer.concat([unsigned(0xb0, width), unsigned(0xba, height), ...more]));

export const track = (...fields: Buffer[]) => element(0xae, Buffer.concat(fields));
export const pictureTrack = (codec = 'V_VP9', ...fields: Buffer[]) =>
  track(unsigned(0x83, 1), element(0x86, codec), ...(fields.length > 0 ? fields : [video()]));
export const soundTrack = (codec = 'A_OPUS') => track(unsigned(0x83, 2), element(0x86, codec));
export const tracks = (list: Buffer[]) => element(0x1654ae6b, Buffer.concat(list));
export const segment = (parts: Buffer[], size?: bigint) => element(0x18538067, Buffer.concat(parts), size);

/** A film with these tracks. */
export const film = (list: Buffer[], about = info()) =>
  Buffer.concat([ebmlHead(), segment([about, tracks(list), element(0x1f43b675, 'pictures')])]);
