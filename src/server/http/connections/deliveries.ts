import type { Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { Delivery } from './sent-bytes.ts';
import type { SocketFlow, SocketQueue } from './unread-bytes.ts';
import { descriptorOf } from './unread-bytes.ts';

/** Hears what the network delivered. */
interface Receiver {
  delivered(delivery: Delivery): void;
}

/** One connection that bytes of videos are sent on. */
interface Followed {
  receiver: Receiver;
  /** Answers that are being written to it. */
  answers: number;
  /** What the system said when it was last asked. */
  flow: SocketFlow;
  /** When that was, by the clock that never jumps. */
  at: number;
}

/** A stretch in which one connection was delivering. */
interface Stretch {
  from: number;
  to: number;
  bytes: number;
}

const checkMs = 1_000;

/**
 * Measures what the network gives viewers while it is asked for something (decision 0053). The kernel knows of each
 * connection how long bytes were under way, and for how much of it the client did not read; buffers that swallow bytes
 * at once, here or in the kernel, change nothing of that.
 */
export class Deliveries {
  private readonly queue: Pick<SocketQueue, 'flow'> | null;
  private readonly clock: Clock;
  private readonly followed = new Map<Socket, Followed>();
  /** Of each viewer, since the last check. */
  private stretches = new Map<Receiver, Stretch[]>();
  private timer: Repetition | undefined;

  /** @param queue null where the system gives no such figures: then nothing is measured */
  constructor(queue: Pick<SocketQueue, 'flow'> | null, clock: Clock) {
    this.queue = queue;
    this.clock = clock;
  }

  /**
   * An answer to this viewer begins on this connection. Behind a proxy, viewers share connections: what is delivered
   * counts for whoever asked last.
   * @returns what is called once, when the system has been given all of it
   */
  begin(socket: Socket, receiver: Receiver): () => void {
    const followed = this.followed.get(socket);
    if (followed === undefined) return this.follow(socket, receiver);
    this.take(socket, followed);
    followed.receiver = receiver;
    followed.answers += 1;
    return () => this.end(socket, followed);
  }

  /** Tells each viewer what came to them since the last check. Connections with nothing under way are let go. */
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

  /** What is under way may be lost with a connection that closes, so it is asked once more before. */
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
      // The socket of an HTTP/2 session that has ended cannot even be asked.
      return null;
    }
  }
}

/** How long at least one of them was delivering: what several do at once is no longer than one of them. */
function lengthOf(stretches: readonly Stretch[]): number {
  let [length, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    length += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return length;
}

function ignore(): void {}
