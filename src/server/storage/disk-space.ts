import { statfs } from 'node:fs/promises';
import { constants } from 'node:os';
import { isStoreFull } from './stores/store-calls.ts';

/** Size and free space of the disk that holds a folder, in bytes. */
export interface DiskBytes {
  /** Bytes that this user may still write. */
  free: number;
  total: number;
}

const maxReservedBytes = 1024 ** 3;
const reservedShare = 0.1;

/** Bytes that uploads and encodings leave free, because the database may be on the same disk. */
export function reservedBytes({ total }: Pick<DiskBytes, 'total'>): number {
  return Math.min(maxReservedBytes, total * reservedShare);
}

/** True if the disk, or this user's quota of it, or the store is full. */
export function isDiskFull(error: unknown): boolean {
  if (isStoreFull(error)) return true;
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

const patienceMs = 1_000;
/**
 * At most this many disks are asked at a time. A dead network disk never answers, and each call
 * that waits for it holds one of libuv's four threads, which all file access shares.
 */
const maxAsked = 2;

/** Reads how full disks are, with a time limit, so a disk that hangs does not delay the caller. */
export class DiskSpace {
  private readonly ask: (folder: string) => Promise<DiskBytes>;
  /** The answers of the disks that are asked or wait for their turn. */
  private readonly answers = new Map<string, Promise<DiskBytes | null>>();
  private readonly asked = new Set<string>();
  /** The asked disks that have been silent for too long. */
  private readonly hanging = new Set<string>();
  /** Starts the calls that wait for their turn, in this order. */
  private readonly waiting: (() => void)[] = [];

  /** @param ask replaces the system call in tests */
  constructor(ask: (folder: string) => Promise<DiskBytes> = askSystem) {
    this.ask = ask;
  }

  /** Null if the folder does not exist or its disk does not answer. */
  async read(folder: string): Promise<DiskBytes | null> {
    if (this.hanging.has(folder) || this.hanging.size >= maxAsked) return null;
    const answer = this.answers.get(folder) ?? this.start(folder);
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      if (this.asked.has(folder)) this.hanging.add(folder);
      resolve(null);
    }, patienceMs);
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private start(folder: string): Promise<DiskBytes | null> {
    const answer = this.askInTurn(folder)
      .catch(() => null)
      .finally(() => {
        this.answers.delete(folder);
        this.asked.delete(folder);
        this.hanging.delete(folder);
        this.waiting.shift()?.();
      });
    this.answers.set(folder, answer);
    return answer;
  }

  private async askInTurn(folder: string): Promise<DiskBytes> {
    if (this.asked.size < maxAsked) this.asked.add(folder);
    else await this.waitForTurn(folder);
    return this.ask(folder);
  }

  /** The turn is taken as soon as it is given, so that no other call can take it as well. */
  private waitForTurn(folder: string): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(() => {
        this.asked.add(folder);
        resolve();
      });
    });
  }
}

async function askSystem(folder: string): Promise<DiskBytes> {
  const { bsize, bavail, blocks } = await statfs(folder);
  return { free: bsize * bavail, total: bsize * blocks };
}

/**
 * Error numbers by code. Node's `SystemError` gives the number, but not the code as its own
 * property.
 */
const numbers = constants.errno;

/**
 * True if this process or the machine has no file descriptor left. The error says nothing about the
 * file that was to be opened.
 */
export function isOutOfDescriptors(error: unknown): boolean {
  return hasSystemCode(error, ['EMFILE', 'ENFILE']);
}

/**
 * True if the system has run out of a shared resource: descriptors, memory or processes. This may
 * pass within moments.
 */
export function isSystemExhausted(error: unknown): boolean {
  return hasSystemCode(error, ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EAGAIN']);
}

/** Looks at the causes of an error as well, because `fetch` wraps the system's error. */
function hasSystemCode(error: unknown, codes: readonly (keyof typeof numbers)[], depth = 0): boolean {
  if (!(error instanceof Error) || depth > maxDepth) return false;
  const { code, errno, cause } = error as NodeJS.ErrnoException;
  if (codes.some((one) => code === one || isNumber(one, errno) || isWorkerFailure(error, code, one))) return true;
  const others = error instanceof AggregateError ? error.errors : [];
  return [cause, ...others].some((inner) => hasSystemCode(inner, codes, depth + 1));
}

const maxDepth = 3;

/** `errno` is negative in libuv's errors, and positive in those of `os.networkInterfaces`. */
function isNumber(code: keyof typeof numbers, errno: number | undefined): boolean {
  return typeof errno === 'number' && Math.abs(errno) === numbers[code];
}

/** When a worker thread cannot be started, only the error's message contains the system's code. */
function isWorkerFailure(error: Error, code: string | undefined, systemCode: string): boolean {
  return code === 'ERR_WORKER_INIT_FAILED' && error.message.endsWith(systemCode);
}
