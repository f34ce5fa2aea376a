import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import type { ByteReader } from './file-shape.ts';
import type { Probe } from './probe.ts';
import { probe, unread } from './probe.ts';

/** Runs in a thread of its own, so that no file can stop the server or take its memory. */
export interface ProbeRequest {
  file: Uint8Array;
}

/** Headers are small; a file that makes us read more than this wants something else. */
const mostBytesRead = 64 * 1024 * 1024;

parentPort?.on('message', async (request: ProbeRequest) => {
  parentPort?.postMessage(await probeFile(Buffer.from(request.file)));
});

parentPort?.postMessage('up');

async function probeFile(path: Buffer): Promise<Probe> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK a pipe that took the file's place would hold the thread for ever.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const facts = await handle.stat();
    return facts.isFile() ? await probe(toReader(handle, facts.size)) : unread('not_a_video');
  } catch {
    return unread('unreadable');
  } finally {
    await handle?.close();
  }
}

function toReader(handle: FileHandle, size: number): ByteReader {
  let left = mostBytesRead;
  return {
    size,
    read: async (start, end) => {
      left -= end - start;
      if (left < 0) throw new RangeError('More was read than headers hold.');
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      if (bytesRead < bytes.length) throw new RangeError('The file is shorter than it was.');
      return bytes;
    },
  };
}
