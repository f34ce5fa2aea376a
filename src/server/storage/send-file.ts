/** `sendfile(2)`: bytes go from a file into a socket inside the system, and are never carried through this process. */
export interface SendFile {
  /**
   * Whether all of them lie in the page cache (`cachestat(2)`), so that sending them waits for no disk. Never true
   * where the system does not tell: it tells whoever owns the file or may write to it.
   */
  isCached(descriptor: number, position: number, bytes: number): boolean;
  /**
   * Text that travels with what is sent next (`MSG_MORE`).
   * @param head latin1
   * @returns how many bytes the socket took: fewer when it has no room, or is closed
   */
  begin(socket: number, head: string): number;
  /**
   * @param socket a descriptor that never blocks
   * @returns how many bytes it took: 0 when it has no room
   * @throws when the file has ended, the socket is closed, or the file system cannot do it
   */
  send(socket: number, descriptor: number, position: number, bytes: number): number;
  /** As `send`, through a small buffer of this process that stays in the caches of the processor. */
  copy(socket: number, descriptor: number, position: number, bytes: number): number;
}

/** `_SC_PAGESIZE`: 4 KiB nearly everywhere, 16 on some small computers. */
const pageSize = 30;
/** The same on every architecture: it is younger than the table that they share. */
const cachestat = 451;
/** `MSG_DONTWAIT | MSG_NOSIGNAL`, and `MSG_MORE`. */
const [atOnce, withMore] = [0x40 | 0x4000, 0x40 | 0x4000 | 0x8000];
/** Read and written at a time: half of what the nearest large cache of a processor holds. */
const copyBytes = 256 * 1024;

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
  const syscall = system.func(
    'long syscall(long number, unsigned int file, const void *range, void *statistics, unsigned int flags)',
  );
  const send = system.func('intptr_t send(int socket, const void *bytes, size_t length, int flags)');
  const pageBytes = Number(system.func('long sysconf(int name)')(pageSize));
  const pread = system.func('intptr_t pread(int file, void *bytes, size_t length, int64_t position)');
  const scratch = Buffer.alloc(copyBytes);
  const noRoom = koffi.os.errno.EAGAIN;
  const [at, range, statistics] = [new BigInt64Array(1), new BigUint64Array(2), new BigUint64Array(5)];
  /** @throws unless it is only that there is no room */
  const sentOrThrow = (sent: number) => {
    if (sent > 0) return sent;
    if (sent < 0 && koffi.errno() === noRoom) return 0;
    throw new Error(
      sent === 0 ? 'The file became shorter.' : `The system sends nothing of this file (${koffi.errno()}).`,
    );
  };
  return {
    isCached(descriptor, position, bytes) {
      range[0] = BigInt(position);
      range[1] = BigInt(bytes);
      if (syscall(cachestat, descriptor, range, statistics, 0) !== 0) return false;
      const pages = Math.floor((position + bytes - 1) / pageBytes) - Math.floor(position / pageBytes) + 1;
      return Number(statistics[0]) >= pages;
    },
    begin(socket, head) {
      const sent = Number(send(socket, scratch, scratch.write(head, 'latin1'), withMore));
      return Math.max(0, sent);
    },
    send(socket, descriptor, position, bytes) {
      at[0] = BigInt(position);
      return sentOrThrow(Number(sendfile(socket, descriptor, at, bytes)));
    },
    copy(socket, descriptor, position, bytes) {
      let [sent, isFull] = [0, false];
      while (sent < bytes && !isFull) {
        const length = Number(pread(descriptor, scratch, Math.min(copyBytes, bytes - sent), position + sent));
        const isLast = sent + length >= bytes;
        const taken = length > 0 ? Number(send(socket, scratch, length, isLast ? atOnce : withMore)) : length;
        // What has gone has to be told; what is wrong shows again next time.
        if (taken <= 0) return sent > 0 ? sent : sentOrThrow(taken);
        isFull = taken < length;
        sent += taken;
      }
      return sent;
    },
  };
}
