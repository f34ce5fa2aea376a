import type { Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { Delivery } from './sent-bytes.ts';
import type { SocketFlow, SocketQueue } from './unread-bytes.ts';
import { descriptorOf } from './unread-bytes.ts';

/** Receives the measurements of one viewer. */
interface Receiver {
  delivered(delivery: Delivery): void;
}

/** One connection that carries bytes of videos. */
interface Followed {
  receiver: Receiver;
  /** The number of answers that are being written to it. */
  answers: number;
  /** The figures of the system at the last reading. */
  flow: SocketFlow;
  /** The time of the last reading, by `clock.elapsed()`. */
  at: number;
}

/** A period in which one connection was delivering. */
interface Stretch {
  from: number;
  to: number;
  bytes: number;
}

const checkMs = 1_000;

/**
 * Measures the speed of each viewer's network while bytes are being sent (decision 0053). For each
 * connection, the kernel counts how long bytes were in flight, and for how much of that time the
 * client did not read. Buffers that take bytes at once, here or in the kernel, do not distort this.
 */
export class Deliveries {
  private readonly queue: Pick<SocketQueue, 'flow'> | null;
  private readonly clock: Clock;
  private readonly followed = new Map<Socket, Followed>();
  /** The periods of each viewer since the last check. */
  private stretches = new Map<Receiver, Stretch[]>();
  private timer: Repetition | undefined;

  /** @param queue null if the system does not provide these figures: then nothing is measured */
  constructor(queue: Pick<SocketQueue, 'flow'> | null, clock: Clock) {
    this.queue = queue;
    this.clock = clock;
  }

  /**
   * Registers an answer to this viewer on this connection. Viewers behind a proxy share
   * connections: bytes count for the viewer who asked last.
   * @returns a function to call once, when the whole answer was passed to the system
   */
  begin(socket: Socket, receiver: Receiver): () => void {
    const followed = this.followed.get(socket);
    if (followed === undefined) return this.follow(socket, receiver);
    this.take(socket, followed);
    followed.receiver = receiver;
    followed.answers += 1;
    return () => this.end(socket, followed);
  }

  /** Reports the bytes since the last check. Connections with nothing in flight are forgotten. */
  check(): void {
    for (const [socket, followed] of this.followed) {
      const flow = this.take(socket, followed);
      if (flow === null || (followed.answers === 0 && !flow.isUnderWay)) this.followed.delete(socket);
    }
    const { stretches } = this;
    this.stretches = new Map();
    for (const [receiver, own] of stretches)
      receiver.delivered({ bytes: own.reduce((sum, { bytes }) => sum + bytes, 0), ms: lengthOf(own) });
    if (this.followed.size > 0) return;
    this.timer?.stop();
    this.timer = undefined;
  }

  private follow(socket: Socket, receiver: Receiver): () => void {
    const flow = this.read(socket);
    if (flow === null) return ignore;
    const followed = { receiver, answers: 1, flow, at: this.clock.elapsed() };
    this.followed.set(socket, followed);
    this.timer ??= repeat(() => this.check(), checkMs);
    return () => this.end(socket, followed);
  }

  /** Takes a last reading: bytes in flight may be lost when the connection closes. */
  private end(socket: Socket, followed: Followed): void {
    followed.answers -= 1;
    this.take(socket, followed);
  }

  /** @returns null when the connection has closed */
  private take(socket: Socket, followed: Followed): SocketFlow | null {
    const flow = this.read(socket);
    if (flow === null) return null;
    const { flow: before, at: from } = followed;
    const at = this.clock.elapsed();
    const bytes = flow.acked - before.acked;
    const ms = flow.busyMs - before.busyMs - (flow.unreadMs - before.unreadMs);
    followed.flow = flow;
    followed.at = at;
    if (bytes <= 0 && ms <= 0) return flow;
    const own = this.stretches.get(followed.receiver) ?? [];
    own.push({ from, to: Math.min(at, from + Math.max(0, ms)), bytes });
    this.stretches.set(followed.receiver, own);
    return flow;
  }

  private read(socket: Socket): SocketFlow | null {
    if (this.queue === null) return null;
    try {
      const descriptor = descriptorOf(socket);
      return descriptor === null ? null : this.queue.flow(descriptor);
    } catch {
      // The socket of an HTTP/2 session that has ended throws on any access.
      return null;
    }
  }
}

/** The time in which at least one connection was delivering; overlapping periods count once. */
function lengthOf(stretches: readonly Stretch[]): number {
  let [length, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    length += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return length;
}

function ignore(): void {}
