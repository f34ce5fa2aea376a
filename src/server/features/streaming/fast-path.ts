import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import { systemClock } from '../../clock.ts';
import { descriptorOf } from '../../http/connections/unread-bytes.ts';
import type { SendFile } from '../../storage/send-file.ts';
import type { CheaperWay } from './cheaper-way.ts';
import type { ByteResponse } from './client-watch.ts';
import { isHttp2, isPlainSocket } from './client-watch.ts';

/** What the whole process shares. */
export interface FastWays {
  sendFile: SendFile;
  cheaper: CheaperWay;
}

const mebibyte = 1024 * 1024;
/** Looked for and sent at a time. */
const sliceBytes = mebibyte;
/** Then others have their turn. */
const maxAtOnce = 4 * mebibyte;
/** Below this, reading and writing take fewer calls of the system. */
const minBytes = 64 * 1024;

/**
 * @param ways null where the system has none
 * @param file the descriptor of the file, if it is one
 * @returns null as well for answers that are encrypted, share their connection or wait behind another one
 */
export function findFastPath(ways: FastWays | null, response: ByteResponse, file: number | undefined): FastPath | null {
  if (ways === null || file === undefined || isHttp2(response)) return null;
  const { socket } = response;
  return isPlainSocket(socket) ? new FastPath(ways, response, socket, file) : null;
}

/**
 * The way of bytes that lie in the page cache: the system moves them from the file into the socket, and this process
 * never sees them.
 */
export class FastPath {
  private readonly ways: FastWays;
  private readonly response: ServerResponse;
  private readonly socket: Socket;
  private readonly file: number;
  private hasNoRoom = false;
  private isClosed = false;
  /** Where the slice begins that was just found in the page cache. */
  private foundAt = -1;

  constructor(ways: FastWays, response: ServerResponse, socket: Socket, file: number) {
    this.ways = ways;
    this.response = response;
    this.socket = socket;
    this.file = file;
  }

  /** The socket had no room for more: whatever is written next only waits for some. */
  get isFull(): boolean {
    return this.hasNoRoom;
  }

  /** Whether what comes first could go this way. */
  isOpenFor(window: FileWindow): boolean {
    const isOpen = window.end - window.start + 1 >= minBytes && this.isCached(window);
    this.foundAt = isOpen ? window.start : -1;
    return isOpen;
  }

  /** Once the head is sent. @returns how many bytes of the window went this way, counted from its start */
  send(window: FileWindow): number {
    this.hasNoRoom = false;
    const to = descriptorOf(this.socket);
    if (to === null) return 0;
    // What waits to be written comes first.
    return sendHead(this.ways.sendFile, to, this.response) && this.response.writableLength === 0
      ? this.sendSlices(to, window)
      : 0;
  }

  private isCached(window: FileWindow): boolean {
    return !this.isClosed && this.ways.sendFile.isCached(this.file, window.start, sliceOf(window));
  }

  /** What was looked for before the head was sent is not looked for again. */
  private isStillOpenFor(window: FileWindow): boolean {
    const isFound = this.foundAt === window.start && !this.isClosed;
    this.foundAt = -1;
    return isFound || this.isCached(window);
  }

  private sendSlices(to: number, { start, end }: FileWindow): number {
    let sent = 0;
    while (!this.hasNoRoom && start + sent <= end && sent < maxAtOnce) {
      const rest = { start: start + sent, end };
      const more = this.isStillOpenFor(rest) ? this.sendSlice(to, rest) : 0;
      if (more === 0) break;
      sent += more;
    }
    return sent;
  }

  /** @returns 0 when no more goes this way just now */
  private sendSlice(to: number, window: FileWindow): number {
    const { sendFile, cheaper } = this.ways;
    try {
      const bytes = sliceOf(window);
      const way = cheaper.choose();
      const startedAt = systemClock.elapsed();
      const sent =
        way === 'copy'
          ? sendFile.copy(to, this.file, window.start, bytes)
          : sendFile.send(to, this.file, window.start, bytes);
      this.hasNoRoom = sent < bytes;
      if (!this.hasNoRoom) cheaper.record(way, bytes, systemClock.elapsed() - startedAt);
      return sent;
    } catch {
      // Reading and writing find out whether it is the file, its disk, or the client.
      this.isClosed = true;
      return 0;
    }
  }
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
