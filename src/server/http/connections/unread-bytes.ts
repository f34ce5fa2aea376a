import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { SocketDrain } from './socket-drain.ts';
import { countCheck, hasStopped, startDrain } from './socket-drain.ts';
import type { SocketQueue } from './socket-queue.ts';

/** What clients that do not read may have the system hold for them. */
export interface UnreadLimits {
  /** Beyond so many bytes of all connections, each is given little at a time. */
  pressedBytes: number;
  /** Beyond so many, those that have taken nothing for the longest are ended. */
  maxBytes: number;
  /** What one connection is given at a time while there is too much. */
  littleBytes: number;
  /**
   * Whoever has bytes waiting takes them, or `minBytes` of them, within each such time, or is ended. A player that was
   * ended asks for the rest anew.
   */
  takesMs: number;
  minBytes: number;
  /** How often it is checked. */
  checkMs: number;
}

const mebibyte = 1024 * 1024;

export const unreadLimits: UnreadLimits = {
  pressedBytes: 128 * mebibyte,
  maxBytes: 256 * mebibyte,
  littleBytes: 128 * 1024,
  takesMs: 60_000,
  minBytes: 64 * 1024,
  checkMs: 1_000,
};

/** A client that stood still at one check only may have had no time. */
const idleChecksBefore = 3;

/** Keeps what the system holds for clients that do not read below a cap of the whole process. */
export class UnreadBytes {
  private readonly queue: SocketQueue | null;
  private readonly limits: UnreadLimits;
  private readonly drains = new Map<Socket, SocketDrain>();
  private timer: Repetition | undefined;
  private heldAtCheck = 0;
  private givenSince = 0;
  private isLimiting = false;

  /** @param queue null where the system gives no such figures: then only what this process holds itself is capped */
  constructor(queue: SocketQueue | null, limits: Partial<UnreadLimits> = {}) {
    this.queue = queue;
    this.limits = { ...unreadLimits, ...limits };
  }

  /** Bytes that the system held at the last check, and what it was given since. */
  get held(): number {
    return this.heldAtCheck + this.givenSince;
  }

  /** Whether connections are given little at a time. */
  get isPressed(): boolean {
    return this.isLimiting;
  }

  /** Watches the plain TCP connections of a server. */
  watch(server: EventEmitter): void {
    const { queue } = this;
    if (queue !== null) server.on('connection', (socket: Socket) => this.begin(socket, queue));
  }

  /** The system was given so many bytes for a client. */
  given(bytes: number): void {
    const { pressedBytes } = this.limits;
    this.givenSince += bytes;
    // Much can be given between two checks; the next is due when as much has been given again.
    if (this.queue !== null && this.givenSince > pressedBytes / 4 && this.held > pressedBytes)
      this.measure(this.queue, ignore);
  }

  private begin(socket: Socket, queue: SocketQueue): void {
    const { takesMs, littleBytes, checkMs } = this.limits;
    const descriptor = descriptorOf(socket);
    if (descriptor === null) return;
    queue.limitSilence(descriptor, takesMs);
    if (this.isLimiting) queue.limitUnsent(descriptor, littleBytes);
    this.drains.set(socket, startDrain());
    this.timer ??= repeat(() => this.check(queue), checkMs);
    socket.once('close', () => this.drains.delete(socket));
  }

  /** Checks are counted, not time: whoever waits for this process is not slow. */
  private check(queue: SocketQueue): void {
    const { takesMs, checkMs, minBytes, maxBytes } = this.limits;
    this.measure(queue, (drain, descriptor) => countCheck(drain, drain.held > 0 ? queue.taken(descriptor) : 0));
    for (const [socket, drain] of this.drains)
      if (hasStopped(drain, takesMs / checkMs, minBytes)) this.end(socket, drain);
    if (this.heldAtCheck > maxBytes) this.endIdle();
    if (this.drains.size > 0) return;
    this.timer?.stop();
    this.timer = undefined;
  }

  private measure(queue: SocketQueue, onMeasured: (drain: SocketDrain, descriptor: number) => void): void {
    const { pressedBytes } = this.limits;
    this.heldAtCheck = 0;
    this.givenSince = 0;
    for (const [socket, drain] of this.drains) {
      const descriptor = descriptorOf(socket);
      drain.held = descriptor === null ? 0 : queue.held(descriptor);
      this.heldAtCheck += drain.held;
      if (descriptor !== null) onMeasured(drain, descriptor);
    }
    this.press(this.heldAtCheck > (this.isLimiting ? pressedBytes / 2 : pressedBytes), queue);
  }

  private press(isNext: boolean, queue: SocketQueue): void {
    if (isNext === this.isLimiting) return;
    this.isLimiting = isNext;
    for (const socket of this.drains.keys()) {
      const descriptor = descriptorOf(socket);
      if (descriptor !== null) queue.limitUnsent(descriptor, isNext ? this.limits.littleBytes : 0);
    }
  }

  private endIdle(): void {
    const idle = [...this.drains].filter(([, { idleChecks }]) => idleChecks >= idleChecksBefore);
    for (const [socket, drain] of idle.sort(([, a], [, b]) => b.idleChecks - a.idleChecks)) {
      if (this.heldAtCheck <= this.limits.maxBytes) return;
      this.end(socket, drain);
    }
  }

  private end(socket: Socket, drain: SocketDrain): void {
    this.heldAtCheck -= drain.held;
    this.drains.delete(socket);
    // What is closed in order would be held until it is taken.
    socket.resetAndDestroy();
  }
}

function ignore(): void {}

/** @returns null once the socket is closed: from then on its number may be another's */
export function descriptorOf(socket: Socket): number | null {
  const { _handle: handle } = socket as Socket & { _handle: { fd: number } | null };
  return handle !== null && handle.fd >= 0 ? handle.fd : null;
}
