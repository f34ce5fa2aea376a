/** `sendfile(2)`: bytes go from a file into a socket inside the system, and are never carried through this process. */
export interface SendFile {
  /**
   * Whether all of them lie in the page cache (`cachestat(2)`), so that sending them waits for no disk. Never true where the system does not
   * tell: it tells whoever owns the file or may write to it.
   */
  isCached(descriptor: number, position: number, bytes: number): boolean;
  /** `TCP_CORK`: while it is held, what is written waits for more, so that a head travels with the first bytes. */
  hold(socket: number, isHeld: boolean): void;
  /**
   * @param socket a descriptor that never blocks
   * @returns how many bytes it took: 0 when it has no room
   * @throws when the file has ended, the socket is closed, or the file system cannot do it
   */
  send(socket: number, descriptor: number, position: number, bytes: number): number;
}

/** `_SC_PAGESIZE`: 4 KiB nearly everywhere, 16 on some small computers. */
const pageSize = 30;
/** The same on every architecture: it is younger than the table that they share. */
const cachestat = 451;
const [tcpLevel, tcpCork] = [6, 3];

/** @returns null where the system, or this machine, has none */
export async function openSendFile(): Promise<SendFile | null> {
  if (process.platform !== 'linux') return null;
  try {
    return await bind();
  } catch {
    return null;
  }
}

async function bind(): Promise<SendFile> {
  const { default: koffi } = await import('koffi');
  const system = koffi.load(null);
  const sendfile = system.func('intptr_t sendfile(int socket, int file, _Inout_ int64_t *position, size_t bytes)');
  const syscall = system.func('long syscall(long number, unsigned int file, const void *range, void *statistics, unsigned int flags)');
  const setsockopt = system.func('int setsockopt(int socket, int level, int option, const void *value, unsigned int bytes)');
  const pageBytes = Number(system.func('long sysconf(int name)')(pageSize));
  const flag = new Int32Array(1);
  const noRoom = koffi.os.errno.EAGAIN;
  const [at, range, statistics] = [new BigInt64Array(1), new BigUint64Array(2), new BigUint64Array(5)];
  return {
    isCached(descriptor, position, bytes) {
      range[0] = BigInt(position);
      range[1] = BigInt(bytes);
      if (syscall(cachestat, descriptor, range, statistics, 0) !== 0) return false;
      const pages = Math.floor((position + bytes - 1) / pageBytes) - Math.floor(position / pageBytes) + 1;
      return Number(statistics[0]) >= pages;
    },
    hold(socket, isHeld) {
      flag[0] = isHeld ? 1 : 0;
      setsockopt(socket, tcpLevel, tcpCork, flag, flag.byteLength);
    },
    send(socket, descriptor, position, bytes) {
      at[0] = BigInt(position);
      const sent = Number(sendfile(socket, descriptor, at, bytes));
      if (sent > 0) return sent;
      if (sent < 0 && koffi.errno() === noRoom) return 0;
      throw new Error(sent === 0 ? 'The file became shorter.' : `The system sends nothing of this file (${koffi.errno()}).`);
    },
  };
}
