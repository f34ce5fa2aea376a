import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import { descriptorOf } from '../../http/protection/unread-bytes.ts';
import type { SendFile } from '../../storage/send-file.ts';
import type { ByteResponse } from './client-watch.ts';
import { isHttp2, isPlainSocket } from './client-watch.ts';

/** The way of bytes that lie in the page cache: the system moves them from the file into the socket, and this process never sees them. */
export interface FastPath {
  /** The socket had no room for more: whatever is written next only waits for some. */
  readonly isFull: boolean;
  /** Whether what comes first could go this way. */
  isOpenFor(window: FileWindow): boolean;
  /** Once the head is sent. @returns how many bytes of the window went this way, counted from its start */
  send(window: FileWindow): number;
}

const mebibyte = 1024 * 1024;
/** Looked for and sent at a time. */
const sliceBytes = mebibyte;
/** Then others have their turn. */
const mostAtOnce = 4 * mebibyte;
/** Below this, reading and writing take fewer calls of the system. */
const leastBytes = 64 * 1024;

/**
 * @param sendFile null where the system has none
 * @param file the descriptor of the file, if it is one
 * @returns null as well for answers that are encrypted, share their connection or wait behind another one
 */
export function findFastPath(sendFile: SendFile | null, response: ByteResponse, file: number | undefined): FastPath | null {
  if (sendFile === null || file === undefined || isHttp2(response)) return null;
  const { socket } = response;
  return isPlainSocket(socket) ? createFastPath(sendFile, response, socket, file) : null;
}

function createFastPath(sendFile: SendFile, response: ServerResponse, socket: Socket, file: number): FastPath {
  let isFull = false;
  let isClosed = false;

  const isOpenFor = (window: FileWindow) => !isClosed && sendFile.isCached(file, window.start, sliceOf(window));

  /** @returns 0 when no more goes this way just now */
  function sendSlice(to: number, window: FileWindow): number {
    try {
      const sent = sendFile.send(to, file, window.start, sliceOf(window));
      isFull = sent < sliceOf(window);
      return sent;
    } catch {
      // Reading and writing find out whether it is the file, its disk, or the client.
      isClosed = true;
      return 0;
    }
  }

  function sendSlices(to: number, { start, end }: FileWindow): number {
    let sent = 0;
    while (!isFull && start + sent <= end && sent < mostAtOnce) {
      const rest = { start: start + sent, end };
      const more = isOpenFor(rest) ? sendSlice(to, rest) : 0;
      if (more === 0) break;
      sent += more;
    }
    return sent;
  }

  return {
    get isFull() {
      return isFull;
    },
    isOpenFor: (window) => window.end - window.start + 1 >= leastBytes && isOpenFor(window),
    send(window) {
      isFull = false;
      const to = descriptorOf(socket);
      if (to === null) return 0;
      sendFile.hold(to, true);
      response.flushHeaders();
      // What waits to be written comes first.
      const sent = response.writableLength === 0 ? sendSlices(to, window) : 0;
      sendFile.hold(to, false);
      return sent;
    },
  };
}

function sliceOf({ start, end }: FileWindow): number {
  return Math.min(sliceBytes, end - start + 1);
}
