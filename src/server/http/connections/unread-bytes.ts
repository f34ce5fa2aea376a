import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';

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

/** How one connection takes what the system holds for it. */
interface SocketDrain {
  /** Bytes at the last check. */
  held: number;
  /** Bytes that were acknowledged until the last check. */
  taken: number;
  /** Checks in a row at which something was held. */
  checks: number;
  /** Of them those, the last ones in a row, at which nothing had been taken since the one before. */
  idleChecks: number;
  /** As `held` and `taken` were when the present time began. */
  heldThen: number;
  takenThen: number;
}

function startDrain(): SocketDrain {
  return { held: 0, taken: 0, checks: 0, idleChecks: 0, heldThen: 0, takenThen: 0 };
}

/** @param taken bytes acknowledged so far; `held` is as of now already */
function countCheck(drain: SocketDrain, taken: number): void {
  if (drain.held === 0) {
    drain.checks = 0;
    drain.idleChecks = 0;
    return;
  }
  if (drain.checks === 0) beginTime(drain, taken);
  drain.idleChecks = drain.checks > 0 && taken === drain.taken ? drain.idleChecks + 1 : 0;
  drain.taken = taken;
  drain.checks += 1;
}

/**
 * Once in so many checks: whether less was taken than has to be, although it was there.
 * @param minBytes what has to be taken of more
 */
function hasStopped(drain: SocketDrain, checks: number, minBytes: number): boolean {
  if (drain.checks <= checks) return false;
  const hasTaken = drain.taken - drain.takenThen;
  const isStopped = hasTaken < Math.min(minBytes, drain.heldThen);
  beginTime(drain, drain.taken);
  drain.checks = 1;
  return isStopped;
}

function beginTime(drain: SocketDrain, taken: number): void {
  drain.heldThen = drain.held;
  drain.takenThen = taken;
}

/** How a TCP connection has delivered since it was made (`struct tcp_info`). */
export interface SocketFlow {
  /** Bytes that the other side has acknowledged. */
  acked: number;
  /** How long bytes were on their way or waiting for it. */
  busyMs: number;
  /** For how much of that the other side did not read: its window was full. */
  unreadMs: number;
  /** Some are waiting or not acknowledged now. */
  isUnderWay: boolean;
}

/** What the system knows of a TCP connection, and Node does not tell. */
export interface SocketQueue {
  /** Bytes that the system holds for the other side: not sent, or not acknowledged (`SIOCOUTQ`). */
  held(socket: number): number;
  /** Bytes that the other side has acknowledged since it connected (`tcpi_bytes_acked`). */
  taken(socket: number): number;
  /** @returns null where the kernel does not count it, or the connection is closed */
  flow(socket: number): SocketFlow | null;
  /** Takes no more than so many bytes that cannot be sent yet (`TCP_NOTSENT_LOWAT`); 0: as many as the system likes. */
  limitUnsent(socket: number, bytes: number): void;
  /**
   * Ends the connection when the other side takes nothing for so long, also after this process has closed it
   * (`TCP_USER_TIMEOUT`).
   */
  limitSilence(socket: number, ms: number): void;
}

/** linux/sockios.h, linux/tcp.h: the same on all architectures that Node knows. */
const outgoingQueue = 0x5411;
const tcp = { level: 6, info: 11, userTimeout: 18, notSentLowWater: 25 };
/** Offsets in `struct tcp_info`: bytes that were acknowledged since Linux 4.1, times in microseconds since 4.10. */
const ackedAt = 120;
const flowAt = { unackedPackets: 24, unsentBytes: 144, busy: 168, unread: 176 };

/** @returns null where the system, or this machine, tells nothing */
export async function openSocketQueue(): Promise<SocketQueue | null> {
  if (process.platform !== 'linux') return null;
  try {
    return await bind();
  } catch {
    return null;
  }
}

async function bind(): Promise<SocketQueue> {
  const { default: koffi } = await import('koffi');
  const system = koffi.load(null);
  const ioctl = system.func('int ioctl(int socket, unsigned long request, _Out_ int *value)');
  const getsockopt = system.func(
    'int getsockopt(int socket, int level, int option, void *value, _Inout_ unsigned int *bytes)',
  );
  const setsockopt = system.func(
    'int setsockopt(int socket, int level, int option, const void *value, unsigned int bytes)',
  );
  const [count, length, setting] = [new Int32Array(1), new Uint32Array(1), new Int32Array(1)];
  const info = Buffer.alloc(256);
  const set = (socket: number, option: number, value: number) => {
    setting[0] = value;
    setsockopt(socket, tcp.level, option, setting, setting.byteLength);
  };
  /** @returns whether the system tells of it, up to this byte */
  const readInfo = (socket: number, until: number) => {
    length[0] = info.length;
    return getsockopt(socket, tcp.level, tcp.info, info, length) === 0 && (length[0] ?? 0) >= until;
  };
  return {
    held: (socket) => (ioctl(socket, outgoingQueue, count) === 0 ? (count[0] ?? 0) : 0),
    taken: (socket) => (readInfo(socket, ackedAt + 8) ? Number(info.readBigUInt64LE(ackedAt)) : 0),
    flow(socket) {
      if (!readInfo(socket, flowAt.unread + 8)) return null;
      return {
        acked: Number(info.readBigUInt64LE(ackedAt)),
        busyMs: Number(info.readBigUInt64LE(flowAt.busy)) / 1_000,
        unreadMs: Number(info.readBigUInt64LE(flowAt.unread)) / 1_000,
        isUnderWay: info.readUInt32LE(flowAt.unackedPackets) > 0 || info.readUInt32LE(flowAt.unsentBytes) > 0,
      };
    },
    limitUnsent: (socket, bytes) => set(socket, tcp.notSentLowWater, bytes),
    limitSilence: (socket, ms) => set(socket, tcp.userTimeout, ms),
  };
}
