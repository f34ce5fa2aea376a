import { closeSync, fstatSync } from 'node:fs';
import { openForReadingSync } from '../../storage/open-for-reading.ts';
import { byteSourceOf } from '../containers/byte-window.ts';
import type { UnplayableReason } from '../unplayable.ts';
import { fingerprint } from './fingerprint.ts';
import type { Probe } from './probe.ts';
import { probe, unread } from './probe.ts';

/** An absolute path: text where it is UTF-8, else the bytes of the file system. */
export type FilePath = string | Uint8Array;

/** What the bytes of a file say. */
export interface FileReading {
  probe: Probe;
  /** Null when there was nothing to read. */
  fingerprint: string | null;
}

/** The answer for a file that was not read. */
export function unreadFile(reason: UnplayableReason): FileReading {
  return { probe: unread(reason), fingerprint: null };
}

/** Opens a file, reads its headers and its fingerprint, and closes it. Never throws. */
export function readFile(path: FilePath): FileReading {
  let descriptor: number | null = null;
  try {
    descriptor = openForReadingSync(typeof path === 'string' ? path : Buffer.from(path));
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) return unreadFile('not_a_video');
    const source = byteSourceOf(descriptor, facts.size);
    return { probe: probe(source), fingerprint: fingerprint(source) };
  } catch {
    return unreadFile('unreadable');
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
