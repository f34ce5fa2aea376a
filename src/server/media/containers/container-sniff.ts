/** The container format of a file, determined by its bytes alone and not by its name. */
export type Container = 'mp4' | 'mov' | 'webm' | 'matroska' | 'avi' | 'asf' | 'flv' | 'mpeg-ts' | 'mpeg-ps';

/** Number of bytes from the start of a file that `sniffContainer` needs. */
export const sniffBytes = 4_096;

/** The `Content-Type` of each container. */
export const contentTypes: Record<Container, string> = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  matroska: 'video/x-matroska',
  avi: 'video/x-msvideo',
  asf: 'video/x-ms-wmv',
  flv: 'video/x-flv',
  'mpeg-ts': 'video/mp2t',
  'mpeg-ps': 'video/mpeg',
};

/**
 * Determines the container. Null for everything that is not a video: text, web pages, playlists,
 * images, archives.
 */
export function sniffContainer(head: Uint8Array): Container | null {
  return sniffIsoMedia(head) ?? sniffEbml(head) ?? sniffSimple(head);
}

/** Box types with which an MP4 or QuickTime file can start. */
const firstBoxes = new Set(['ftyp', 'styp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot']);

function sniffIsoMedia(head: Uint8Array): Container | null {
  const box = textAt(head, 4, 4);
  if (!firstBoxes.has(box)) return null;
  const size = viewOf(head).getUint32(0);
  if (size > 1 && size < 8) return null;
  // A QuickTime file has its own brand, or is older than the `ftyp` box.
  return box === 'ftyp' || box === 'styp' ? brandOf(head) : 'mov';
}

function brandOf(head: Uint8Array): Container {
  return textAt(head, 8, 4) === 'qt  ' ? 'mov' : 'mp4';
}

const ebmlMagic = [0x1a, 0x45, 0xdf, 0xa3];
/** The id of the EBML element DocType, 0x4282. */
const docTypeId = [0x42, 0x82];

function sniffEbml(head: Uint8Array): Container | null {
  if (!startsWith(head, ebmlMagic)) return null;
  const docType = readDocType(head);
  if (docType === 'webm') return 'webm';
  return docType === 'matroska' ? 'matroska' : null;
}

/**
 * Searches the small header for the element's id, as its elements have no fixed order. Of the
 * length that follows, only the last byte is not zero.
 */
function readDocType(head: Uint8Array): string {
  const end = Math.min(head.length - 3, 128);
  for (let at = ebmlMagic.length; at < end; at += 1) {
    if (head[at] !== docTypeId[0] || head[at + 1] !== docTypeId[1]) continue;
    const start = at + 2 + Math.clz32(head[at + 2] ?? 0) - 23;
    return textAt(head, start, (head[start - 1] ?? 0) & 0x7f).replace(/\0+$/, '');
  }
  return '';
}

/** The ASF header object's GUID, 75B22630-668E-11CF-A6D9-00AA0062CE6C. */
const asfHeader = [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11];

function sniffSimple(head: Uint8Array): Container | null {
  if (textAt(head, 0, 4) === 'RIFF' && textAt(head, 8, 4) === 'AVI ') return 'avi';
  if (startsWith(head, asfHeader)) return 'asf';
  if (textAt(head, 0, 3) === 'FLV' && head[3] === 1) return 'flv';
  if (startsWith(head, [0, 0, 1, 0xba])) return 'mpeg-ps';
  return isTransportStream(head) ? 'mpeg-ts' : null;
}

/** Whether the bytes are packets of 188 bytes that start with 0x47. */
function isTransportStream(head: Uint8Array): boolean {
  return head.length > 188 * 3 && [0, 1, 2, 3].every((packet) => head[packet * 188] === 0x47);
}

function startsWith(head: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => head[at] === byte);
}

function textAt(head: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...head.subarray(start, start + length));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
