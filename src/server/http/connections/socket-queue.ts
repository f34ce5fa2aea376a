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
