import type { ByteWindow } from './byte-window.ts';
import { HeaderFault } from './byte-window.ts';
import type { Element } from './ebml-element.ts';
import { elementsIn, readVint } from './ebml-element.ts';

/** Ids of RFC 9559 section 5.1.3. */
const ids = { cluster: 0x1f43b675, simpleBlock: 0xa3, blockGroup: 0xa0, block: 0xa1 };

/** Elements that are looked at, in a segment and in its first cluster each. */
const maxElements = 64;

/**
 * Reads what the head of a track's first frame says. Tracks take turns every few milliseconds, and a key frame comes
 * first. Null when none is near the beginning of the segment.
 * @param read gets where the frame begins
 */
export function readFirstFrame<T>(
  file: ByteWindow,
  segment: Element,
  trackNumber: number,
  read: (file: ByteWindow, at: number) => T,
): T | null {
  try {
    const cluster = findElement(file, segment, ids.cluster);
    const frame = cluster === null ? null : findFrame(file, cluster, trackNumber);
    return frame === null ? null : read(file, frame);
  } catch (error) {
    // The header has said all that is needed: nothing depends on what comes after it.
    if (error instanceof HeaderFault) return null;
    throw error;
  }
}

function findFrame(file: ByteWindow, cluster: Element, trackNumber: number): number | null {
  let elements = 0;
  for (const element of elementsIn(file, cluster)) {
    const block = element.id === ids.blockGroup ? findElement(file, element, ids.block) : element;
    if (block !== null && (block.id === ids.simpleBlock || block.id === ids.block)) {
      const { value, length } = readVint(file, block.start);
      // A time stamp of two bytes and one of flags.
      if (value === trackNumber) return block.start + length + 3;
    }
    elements += 1;
    if (elements === maxElements) return null;
  }
  return null;
}

function findElement(file: ByteWindow, parent: Element, id: number): Element | null {
  let elements = 0;
  for (const element of elementsIn(file, parent)) {
    if (element.id === id) return element;
    elements += 1;
    if (elements === maxElements) return null;
  }
  return null;
}
