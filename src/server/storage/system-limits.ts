import { constants } from 'node:os';

/** What the system calls it, by number: `SystemError` of Node brings no other name. */
const numbers = constants.errno;

/** This process, or the machine, has no descriptor left. It says nothing about the file that was to be opened. */
export function isOutOfDescriptors(error: unknown): boolean {
  return hasSystemCode(error, ['EMFILE', 'ENFILE']);
}

/** The system has nothing left of what it shares out: descriptors, memory, processes. It may have again in a moment. */
export function isSystemExhausted(error: unknown): boolean {
  return hasSystemCode(error, ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EAGAIN']);
}

/** One that caused it counts as well: `fetch` wraps what the system said. */
function hasSystemCode(error: unknown, codes: readonly (keyof typeof numbers)[], depth = 0): boolean {
  if (!(error instanceof Error) || depth > maxDepth) return false;
  const { code, errno, cause } = error as NodeJS.ErrnoException;
  if (codes.some((one) => code === one || isNumber(one, errno) || isWorkerFailure(error, code, one))) return true;
  const others = error instanceof AggregateError ? error.errors : [];
  return [cause, ...others].some((inner) => hasSystemCode(inner, codes, depth + 1));
}

const maxDepth = 3;

/** Of a failed call libuv has the negative, and `os.networkInterfaces` the plain number. */
function isNumber(code: keyof typeof numbers, errno: number | undefined): boolean {
  return typeof errno === 'number' && Math.abs(errno) === numbers[code];
}

/** A thread that could not be started has the system's code in its words alone. */
function isWorkerFailure(error: Error, code: string | undefined, systemCode: string): boolean {
  return code === 'ERR_WORKER_INIT_FAILED' && error.message.endsWith(systemCode);
}
