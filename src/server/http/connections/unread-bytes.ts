import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';

/** Limits of the bytes that the system holds for clients that do not read. */
export interface UnreadLimits {
  /** A connection is given little at a time until its client has taken this many bytes. */
  trustedBytes: number;
  /** Above this total of all connections, each is given little at a time. */
  pressedBytes: number;
  /**
   * Above this total of the connections whose clients take nothing, those that have taken nothing
   * for the longest are ended.
   */
  maxBytes: number;
  /** The bytes that wait to be sent on one connection that is given little at a time. */
  littleBytes: number;
  /**
   * A client with waiting bytes has to take all of them, or `minBytes`, within each period of this
   * length, or its connection is ended. A player whose connection was ended asks for the rest
   * again.
   */
  takesMs: number;
  minBytes: number;
  /** The interval between checks. */
  checkMs: number;
}

const mebibyte = 1024 * 1024;

export const unreadLimits: UnreadLimits = {
  trustedBytes: mebibyte,
  pressedBytes: 128 * mebibyte,
  maxBytes: 128 * mebibyte,
  littleBytes: 128 * 1024,
  takesMs: 60_000,
  minBytes: 64 * 1024,
  checkMs: 1_000,
};

/** A client that took nothing at a single check may just have had no time. */
const idleChecksBefore = 3;

/** Limits the bytes that the system holds for all clients that do not read. */
export class UnreadBytes {
  private readonly queue: SocketQueue | null;
  private readonly limits: UnreadLimits;
  private readonly drains = new Map<Socket, SocketDrain>();
  private timer: Repetition | undefined;
  private heldAtCheck = 0;
  private givenSince = 0;
  private isLimiting = false;

  /**
   * @param queue null if the system does not provide these figures: then only the buffers of this
   * process are limited
   */
  constructor(queue: SocketQueue | null, limits: Partial<UnreadLimits> = {}) {
    this.queue = queue;
    this.limits = { ...unreadLimits, ...limits };
  }

  /** The bytes that the system held at the last check, plus those given to it since. */
  get held(): number {
    return this.heldAtCheck + this.givenSince;
  }

  /** Whether all connections are given little at a time. */
  get isPressed(): boolean {
    return this.isLimiting;
  }

  /** Watches the plain TCP connections of a server. */
  watch(server: EventEmitter): void {
    const { queue } = this;
    if (queue !== null) server.on('connection', (socket: Socket) => this.begin(socket, queue));
  }

  /** Counts bytes that were passed to the system for a client. */
  given(bytes: number): void {
    const { pressedBytes } = this.limits;
    this.givenSince += bytes;
    // Much can be given between two checks, so another measurement is made after every quarter of
    // the limit.
    if (this.queue !== null && this.givenSince > pressedBytes / 4 && this.held > pressedBytes)
      this.measure(this.queue, ignore);
  }

  private begin(socket: Socket, queue: SocketQueue): void {
    const { takesMs, trustedBytes, checkMs } = this.limits;
    const descriptor = descriptorOf(socket);
    if (descriptor === null) return;
    queue.limitSilence(descriptor, takesMs);
    const drain = startDrain(trustedBytes);
    this.limitUnsent(drain, descriptor, queue);
    this.drains.set(socket, drain);
    this.timer ??= repeat(() => this.check(queue), checkMs);
    socket.once('close', () => this.drains.delete(socket));
  }

  /** Counts checks instead of time: a client that waits for this process is not slow. */
  private check(queue: SocketQueue): void {
    const { takesMs, checkMs, minBytes, trustedBytes } = this.limits;
    this.measure(queue, (drain, descriptor) => {
      if (drain.held > 0 || !drain.isTrusted) countCheck(drain, queue.taken(descriptor));
      else countCheck(drain, drain.taken);
      drain.isTrusted ||= drain.taken >= trustedBytes;
      this.limitUnsent(drain, descriptor, queue);
    });
    for (const [socket, drain] of this.drains)
      if (hasStopped(drain, takesMs / checkMs, minBytes)) this.end(socket, drain);
    this.endIdle();
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
    for (const [socket, drain] of this.drains) {
      const descriptor = descriptorOf(socket);
      if (descriptor !== null) this.limitUnsent(drain, descriptor, queue);
    }
  }

  private limitUnsent(drain: SocketDrain, descriptor: number, queue: SocketQueue): void {
    const isLimited = this.isLimiting || !drain.isTrusted;
    if (isLimited === drain.isLimited) return;
    drain.isLimited = isLimited;
    queue.limitUnsent(descriptor, isLimited ? this.limits.littleBytes : 0);
  }

  private endIdle(): void {
    const idle = [...this.drains].filter(([, { idleChecks }]) => idleChecks >= idleChecksBefore);
    let held = idle.reduce((sum, [, drain]) => sum + drain.held, 0);
    for (const [socket, drain] of idle.sort(([, a], [, b]) => b.idleChecks - a.idleChecks)) {
      if (held <= this.limits.maxBytes) return;
      held -= drain.held;
      this.end(socket, drain);
    }
  }

  private end(socket: Socket, drain: SocketDrain): void {
    this.heldAtCheck -= drain.held;
    this.drains.delete(socket);
    // An orderly close would keep the bytes until the client takes them.
    socket.resetAndDestroy();
  }
}

function ignore(): void {}

/** @returns null once the socket is closed: another socket may have its descriptor then */
export function descriptorOf(socket: Socket): number | null {
  const { _handle: handle } = socket as Socket & { _handle: { fd: number } | null };
  return handle !== null && handle.fd >= 0 ? handle.fd : null;
}

/** The progress of one connection in taking its bytes. */
interface SocketDrain {
  /** Whether the client has taken enough to be given much at a time. */
  isTrusted: boolean;
  /** Whether the system limits the bytes that wait to be sent. */
  isLimited: boolean;
  /** The bytes held at the last check. */
  held: number;
  /** The bytes that were acknowledged by the last check. */
  taken: number;
  /** The number of checks in a row at which bytes were held. */
  checks: number;
  /** The number of the latest checks in a row at which nothing more had been acknowledged. */
  idleChecks: number;
  /** The values of `held` and `taken` at the start of the current period. */
  heldThen: number;
  takenThen: number;
}

function startDrain(trustedBytes: number): SocketDrain {
  const progress = { held: 0, taken: 0, checks: 0, idleChecks: 0, heldThen: 0, takenThen: 0 };
  return { isTrusted: trustedBytes === 0, isLimited: false, ...progress };
}

/** @param taken the bytes acknowledged so far; `held` is up to date already */
function countCheck(drain: SocketDrain, taken: number): void {
  if (drain.held === 0) {
    drain.taken = taken;
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
 * Checks once per period whether the client took too little of the bytes that were available.
 * @param minBytes the bytes that have to be taken, or all of them if there are fewer
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

/** The deliveries of a TCP connection since it was made (`struct tcp_info`). */
export interface SocketFlow {
  /** The bytes that the other side has acknowledged. */
  acked: number;
  /** The time in which bytes were in flight or waiting. */
  busyMs: number;
  /** The part of that time in which the other side did not read: its window was full. */
  unreadMs: number;
  /** Whether bytes are waiting or unacknowledged now. */
  isUnderWay: boolean;
}

/** Figures and settings of a TCP connection that Node does not offer. */
export interface SocketQueue {
  /** The bytes that the system holds for the other side: unsent or unacknowledged (`SIOCOUTQ`). */
  held(socket: number): number;
  /** The bytes that the other side has acknowledged since it connected (`tcpi_bytes_acked`). */
  taken(socket: number): number;
  /** @returns null if the kernel does not count them, or the connection is closed */
  flow(socket: number): SocketFlow | null;
  /** Limits the bytes that wait in the system to be sent (`TCP_NOTSENT_LOWAT`); 0: no limit. */
  limitUnsent(socket: number, bytes: number): void;
  /**
   * Ends the connection when the other side takes nothing for this long, even after this process
   * has closed it (`TCP_USER_TIMEOUT`).
   */
  limitSilence(socket: number, ms: number): void;
}

/** linux/sockios.h, linux/tcp.h: the same values on all architectures that Node supports. */
const outgoingQueue = 0x5411;
const tcp = { level: 6, info: 11, userTimeout: 18, notSentLowWater: 25 };
/** Offsets in `struct tcp_info`: acknowledged bytes (Linux 4.1), times in microseconds (4.10). */
const ackedAt = 120;
const flowAt = { unackedPackets: 24, unsentBytes: 144, busy: 168, unread: 176 };

/** @returns null if the system, or this machine, does not provide these figures */
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
  /** @returns whether the system fills the structure up to this byte */
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
