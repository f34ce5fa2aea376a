import './reflect-metadata.ts';
import { Extension, GeneralName } from '@peculiar/x509';
import type { Permitted } from '../http/addresses/local-names.ts';

/**
 * RFC 5280 section 4.2.1.10, which the X.509 library has no class for: `SEQUENCE { [0] SEQUENCE OF SEQUENCE { base }
 * }`, permitted names only.
 */

export const nameConstraintsId = '2.5.29.30';

const tag = { sequence: 0x30, permitted: 0xa0 };

/** Critical: who does not understand it has to refuse the authority. */
export function nameConstraints({ names, ranges }: Permitted): Extension {
  const bases = [
    ...names.map((name) => new GeneralName('dns', name)),
    ...ranges.map((range) => new GeneralName('ip', range)),
  ];
  const subtrees = bases.map((base) => element(tag.sequence, Buffer.from(base.rawData)));
  return new Extension(nameConstraintsId, true, element(tag.sequence, element(tag.permitted, Buffer.concat(subtrees))));
}

/** What `nameConstraints` wrote. Others' names come out as nothing permitted. */
export function readNameConstraints(extension: Extension | null): Permitted {
  const permitted: Permitted = { names: [], ranges: [] };
  if (extension === null) return permitted;
  const [outer] = elements(Buffer.from(extension.value));
  for (const part of elements(outer?.content ?? Buffer.alloc(0)).filter((found) => found.tag === tag.permitted)) {
    for (const subtree of elements(part.content)) {
      const base = new GeneralName(subtree.content);
      if (base.type === 'dns') permitted.names.push(base.value);
      if (base.type === 'ip') permitted.ranges.push(base.value);
    }
  }
  return permitted;
}

interface Element {
  tag: number;
  content: Buffer;
}

/** X.690 section 8.1.3: lengths below 128 in one byte, others behind the number of their bytes. */
function element(kind: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([kind, ...size]), content]);
}

function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 1 < bytes.length; ) {
    const first = bytes.readUInt8(at + 1);
    const sizeBytes = first < 0x80 ? 0 : first & 0x7f;
    const length = sizeBytes === 0 ? first : bytes.readUIntBE(at + 2, sizeBytes);
    const start = at + 2 + sizeBytes;
    found.push({ tag: bytes.readUInt8(at), content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
