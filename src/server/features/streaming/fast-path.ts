import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import { descriptorOf } from '../../http/protection/unread-bytes.ts';
import type { SendFile } from '../../storage/send-file.ts';
import type { CheaperWay } from './cheaper-way.ts';
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

/** What the whole process shares. */
export interface FastWays {
  sendFile: SendFile;
  cheaper: CheaperWay;
}

const mebibyte = 1024 * 1024;
/** Looked for and sent at a time. */
const sliceBytes = mebibyte;
/** Then others have their turn. */
const mostAtOnce = 4 * mebibyte;
/** Below this, reading and writing take fewer calls of the system. */
const leastBytes = 64 * 1024;

/**
 * @param ways null where the system has none
 * @param file the descriptor of the file, if it is one
 * @returns null as well for answers that are encrypted, share their connection or wait behind another one
 */
export function findFastPath(ways: FastWays | null, response: ByteResponse, file: number | undefined): FastPath | null {
  if (ways === null || file === undefined || isHttp2(response)) return null;
  const { socket } = response;
  return isPlainSocket(socket) ? createFastPath(ways, response, socket, file) : null;
}

function createFastPath({ sendFile, cheaper }: FastWays, response: ServerResponse, socket: Socket, file: number): FastPath {
  let isFull = false;
  let isClosed = false;
  /** Where the slice begins that was just found in the page cache. */
  let foundAt = -1;

  const isOpenFor = (window: FileWindow) => !isClosed && sendFile.isCached(file, window.start, sliceOf(window));

  /** What was looked for before the head was sent is not looked for again. */
  function isStillOpenFor(window: FileWindow): boolean {
    const isFound = foundAt === window.start && !isClosed;
    foundAt = -1;
    return isFound || isOpenFor(window);
  }

  /** @returns 0 when no more goes this way just now */
  function sendSlice(to: number, window: FileWindow): number {
    try {
      const bytes = sliceOf(window);
      const way = cheaper.choose();
      const startedAt = performance.now();
      const sent = way === 'copy' ? sendFile.copy(to, file, window.start, bytes) : sendFile.send(to, file, window.start, bytes);
      isFull = sent < bytes;
      if (!isFull) cheaper.took(way, bytes, performance.now() - startedAt);
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
      const more = isStillOpenFor(rest) ? sendSlice(to, rest) : 0;
      if (more === 0) break;
      sent += more;
    }
    return sent;
  }

  return {
    get isFull() {
      return isFull;
    },
    isOpenFor(window) {
      const isOpen = window.end - window.start + 1 >= leastBytes && isOpenFor(window);
      foundAt = isOpen ? window.start : -1;
      return isOpen;
    },
    send(window) {
      isFull = false;
      const to = descriptorOf(socket);
      if (to === null) return 0;
      // What waits to be written comes first.
      return sendHead(sendFile, to, response) && response.writableLength === 0 ? sendSlices(to, window) : 0;
    },
  };
}

function sliceOf({ start, end }: FileWindow): number {
  return Math.min(sliceBytes, end - start + 1);
}

/** What Node keeps of an answer whose head was written but not sent. */
type UnsentAnswer = ServerResponse & { _header: string | null; _headerSent: boolean };

/**
 * Sends the head past Node's own writing, so that it leaves with the first bytes and in one call.
 * @returns whether it has left
 */
function sendHead(sendFile: SendFile, to: number, response: ServerResponse): boolean {
  const unsent = response as UnsentAnswer;
  const { _header: head, socket } = unsent;
  if (unsent._headerSent || head === null || socket === null || socket.writableLength > 0) {
    response.flushHeaders();
    return true;
  }
  const sent = sendFile.begin(to, head);
  unsent._headerSent = true;
  if (sent < head.length) socket.write(head.slice(sent), 'latin1');
  return sent === head.length;
}
