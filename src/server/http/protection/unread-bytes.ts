import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { SocketQueue } from './socket-queue.ts';
import type { Taking } from './taking.ts';
import { countLook, hasStopped, startTaking } from './taking.ts';

/** What clients that do not read may have the system hold for them. */
export interface UnreadLimits {
  /** Beyond so many bytes of all connections, each is given little at a time. */
  pressedBytes: number;
  /** Beyond so many, those that have taken nothing for the longest are ended. */
  mostBytes: number;
  /** What one connection is given at a time while there is too much. */
  littleBytes: number;
  /** Whoever has bytes waiting takes them, or `leastBytes` of them, within each such time, or is ended. A player that was ended asks for the rest anew. */
  takesMs: number;
  leastBytes: number;
  /** How often it is looked at. */
  lookMs: number;
}

const mebibyte = 1024 * 1024;

export const unreadLimits: UnreadLimits = {
  pressedBytes: 128 * mebibyte,
  mostBytes: 256 * mebibyte,
  littleBytes: 128 * 1024,
  takesMs: 60_000,
  leastBytes: 64 * 1024,
  lookMs: 1_000,
};

/** Keeps what the system holds for clients that do not read below a cap of the whole process. */
export interface UnreadBytes {
  /** Bytes that the system held at the last look, and what it was given since. */
  readonly held: number;
  /** Whether connections are given little at a time. */
  readonly isPressed: boolean;
  /** Follows the plain TCP connections of a server. */
  follow(server: EventEmitter): void;
  /** The system was given so many bytes for a client. */
  given(bytes: number): void;
}

/** A client that stood still at one look only may have had no time. */
const idleLooksBefore = 3;

/** @param queue null where the system does not tell: then only what this process holds itself is capped */
export function createUnreadBytes(queue: SocketQueue | null, limits: Partial<UnreadLimits> = {}): UnreadBytes {
  const { pressedBytes, mostBytes, littleBytes, takesMs, leastBytes, lookMs } = { ...unreadLimits, ...limits };
  const takings = new Map<Socket, Taking>();
  let timer: Repetition | undefined;
  let [held, givenSince] = [0, 0];
  let isPressed = false;

  function begin(socket: Socket, system: SocketQueue): void {
    const descriptor = descriptorOf(socket);
    if (descriptor === null) return;
    system.limitSilence(descriptor, takesMs);
    if (isPressed) system.limitUnsent(descriptor, littleBytes);
    takings.set(socket, startTaking());
    timer ??= repeat(() => look(system), lookMs);
    socket.once('close', () => takings.delete(socket));
  }

  /** Looks are counted, not time: whoever waits for this process is not slow. */
  function look(system: SocketQueue): void {
    measure(system, (taking, descriptor) => countLook(taking, taking.held > 0 ? system.taken(descriptor) : 0));
    for (const [socket, taking] of takings) if (hasStopped(taking, takesMs / lookMs, leastBytes)) end(socket, taking);
    if (held > mostBytes) endIdle();
    if (takings.size > 0) return;
    timer?.stop();
    timer = undefined;
  }

  function measure(system: SocketQueue, found: (taking: Taking, descriptor: number) => void): void {
    [held, givenSince] = [0, 0];
    for (const [socket, taking] of takings) {
      const descriptor = descriptorOf(socket);
      taking.held = descriptor === null ? 0 : system.held(descriptor);
      held += taking.held;
      if (descriptor !== null) found(taking, descriptor);
    }
    press(held > (isPressed ? pressedBytes / 2 : pressedBytes), system);
  }

  function press(isNext: boolean, system: SocketQueue): void {
    if (isNext === isPressed) return;
    isPressed = isNext;
    for (const socket of takings.keys()) {
      const descriptor = descriptorOf(socket);
      if (descriptor !== null) system.limitUnsent(descriptor, isPressed ? littleBytes : 0);
    }
  }

  function endIdle(): void {
    const idle = [...takings].filter(([, { idleLooks }]) => idleLooks >= idleLooksBefore);
    for (const [socket, taking] of idle.sort(([, a], [, b]) => b.idleLooks - a.idleLooks)) {
      if (held <= mostBytes) return;
      end(socket, taking);
    }
  }

  function end(socket: Socket, taking: Taking): void {
    held -= taking.held;
    takings.delete(socket);
    // What is closed in order would be held until it is taken.
    socket.resetAndDestroy();
  }

  return {
    get held() {
      return held + givenSince;
    },
    get isPressed() {
      return isPressed;
    },
    follow(server) {
      if (queue !== null) server.on('connection', (socket: Socket) => begin(socket, queue));
    },
    given(bytes) {
      givenSince += bytes;
      // Much can be given between two looks; the next is due when as much has been given again.
      if (queue !== null && givenSince > pressedBytes / 4 && held + givenSince > pressedBytes) measure(queue, () => {});
    },
  };
}

/** @returns null once the socket is closed: from then on its number may be another's */
export function descriptorOf(socket: Socket): number | null {
  const { _handle: handle } = socket as Socket & { _handle: { fd: number } | null };
  return handle !== null && handle.fd >= 0 ? handle.fd : null;
}
