import { Worker } from 'node:worker_threads';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import { compileCacheEnv } from '../folders.ts';
import { repeat } from '../repeat.ts';
import type { FilePath, FileReading } from './file-reading.ts';
import { blockBytes, unreadFile } from './file-reading.ts';
import type { FileToRead, ReadRequest } from './probe-worker.ts';
import type { UnplayableReason } from './unplayable.ts';

/** The server is stopping, so the files were not read. */
export class ProberClosed extends Error {}

export interface Prober {
  /**
   * Reads files. Batches of about a hundred files are fastest. Calls are queued.
   * @param describedFiles those of them that have files with texts beside them
   * @returns one reading per file, in the same order
   * @throws ProberClosed
   */
  read(files: readonly FilePath[], describedFiles?: ReadonlySet<FilePath>): Promise<FileReading[]>;
  /**
   * Reads a file that lies elsewhere by as few of its bytes as its headers need.
   * @returns null for a file that takes more than 4 MiB
   * @throws ProberClosed, and what `read` throws
   */
  readRemote(file: RemoteFile): Promise<FileReading | null>;
  close(): Promise<void>;
}

/** A file that lies elsewhere. */
interface RemoteFile {
  size: number;
  /** Both ends count. */
  read(window: FileWindow): Promise<Uint8Array>;
}

/** Each round fetches one block, and later ones several: headers in many places are long ones. */
const blocksOfRound = [1, 1, 1, 1, 1, 1, 1, 1, 4, 4, 4, 8, 8, 8, 10, 10];

/**
 * Longest time without progress, as a disk may have to spin up. After that the file counts as
 * unreadable, and the next scan tries it again.
 */
const silenceMs = 30_000;
const memoryMegabytes = 200;
/**
 * After this many silent files in one call, the disk counts as gone and its other files as
 * unreadable, because each further file would leave a thread behind that cannot end.
 */
const maxSilences = 3;

/**
 * A worker thread. `up` resolves to true with its first message, once its code is loaded: on a busy
 * machine, loading takes longer than the limit for a file.
 */
interface Thread {
  worker: Worker;
  up: Promise<boolean>;
}

/**
 * A thread is ended after this long without work. Its memory is worth more than the tenth of a
 * second that a new thread takes to start.
 */
export const proberIdleMs = 3_000;

/**
 * Reads files in a worker thread. The thread is discarded when a file makes it hang or exceed its
 * memory, and when it has been idle.
 */
export function createProber(options: { silenceMs?: number; script?: URL } = {}): Prober {
  const script = options.script ?? new URL('./probe-worker.ts', import.meta.url);
  let thread: Thread | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;

  async function readTogether(files: readonly FileToRead[], silencesLeft = maxSilences): Promise<Answer[]> {
    if (isClosed) throw new ProberClosed();
    if (files.length === 0 || silencesLeft === 0) return files.map(() => unreadFile('unreadable'));
    thread ??= startThread(script);
    const { worker, up } = thread;
    const answer = (await up)
      ? await ask(worker, files, options.silenceMs ?? silenceMs)
      : { reason: 'unreadable' as const, at: 0 };
    if (Array.isArray(answer)) return answer;
    // If the thread ended because the server is stopping, this says nothing about the file.
    if (isClosed) throw new ProberClosed();
    discard();
    return readAround(files, answer, silencesLeft);
  }

  /** Reads the files before and after the one that ended the thread. */
  async function readAround(
    files: readonly FileToRead[],
    { reason, at }: Failure,
    silencesLeft: number,
  ): Promise<Answer[]> {
    const before = await readTogether(files.slice(0, at), silencesLeft);
    const after = await readTogether(files.slice(at + 1), reason === 'unreadable' ? silencesLeft - 1 : silencesLeft);
    return [...before, unreadFile(reason), ...after];
  }

  function begin(): void {
    calls += 1;
    clearTimeout(idle);
  }

  function end(): void {
    calls -= 1;
    if (calls === 0 && !isClosed) idle = setTimeout(discard, proberIdleMs).unref();
  }

  /**
   * Ends the thread. Callers do not wait for this, because a thread cannot end while a disk blocks
   * it. Terminating a thread while it loads can crash the process, so this waits until it is up.
   */
  async function discard(): Promise<void> {
    const discarded = thread;
    thread = null;
    await discarded?.up;
    await discarded?.worker.terminate();
  }

  function readInTurn(files: readonly FileToRead[]): Promise<Answer[]> {
    begin();
    const turn = last.then(() => readTogether(files)).finally(end);
    last = turn.catch(() => {});
    return turn;
  }

  return {
    async read(paths, describedFiles) {
      return (await readInTurn(
        paths.map((path) => ({ path, hasTexts: describedFiles?.has(path) ?? false })),
      )) as FileReading[];
    },
    readRemote: (file) => readByBlocks(file, readInTurn),
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await discard();
    },
  };
}

/** Reads a file that lies elsewhere, block by block, as the thread says which one it lacks. */
async function readByBlocks(
  { size, read }: RemoteFile,
  readHere: (files: readonly FileToRead[]) => Promise<Answer[]>,
): Promise<FileReading | null> {
  const blocks = new Map<number, Uint8Array>();
  for (const count of blocksOfRound) {
    const [answer] = await readHere([{ size, blocks }]);
    if (answer === undefined || !('missing' in answer)) return answer ?? null;
    const start = answer.missing * blockBytes;
    const bytes = await read({ start, end: Math.min(start + count * blockBytes, size) - 1 });
    for (let at = 0; at < bytes.length; at += blockBytes)
      blocks.set(answer.missing + at / blockBytes, bytes.subarray(at, at + blockBytes));
  }
  return null;
}

function startThread(script: URL): Thread {
  const worker = new Worker(script, {
    // A thread with the usual environment would post its imports as messages under `node --watch`.
    env: compileCacheEnv(),
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    stdout: true,
    stderr: true,
  });
  worker.unref();
  // The listener stays between requests too: an unhandled error of a thread would end the process.
  worker.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<boolean>();
  worker.once('message', () => resolve(true)).once('exit', () => resolve(false));
  return { worker, up: promise };
}

/** The reading of a file, or the index of a block that it lacks. */
type Answer = FileReading | { missing: number };

/** The index of the file that ended the reading, and the reason. */
interface Failure {
  reason: UnplayableReason;
  at: number;
}

/**
 * Sends the files to the thread. Resolves with its readings, or with the failure that ended the
 * wait.
 */
function ask(worker: Worker, files: readonly FileToRead[], maxSilenceMs: number): Promise<Answer[] | Failure> {
  const { promise, resolve } = Promise.withResolvers<Answer[] | Failure>();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const fail = (reason: UnplayableReason) => resolve({ reason, at: Math.min(Atomics.load(done, 0), files.length - 1) });
  const onEnd = () => fail('too_complex');
  let seen = 0;
  const watch = repeat(() => {
    const now = Atomics.load(done, 0);
    if (now === seen) fail('unreadable');
    seen = now;
  }, maxSilenceMs);
  worker.on('message', resolve).on('error', onEnd).on('exit', onEnd);
  // The bytes are copied, because posting a view would copy the whole buffer behind it.
  const copies = files.map((file) =>
    'path' in file && typeof file.path !== 'string' ? { ...file, path: Uint8Array.from(file.path) } : file,
  );
  worker.postMessage({ files: copies, done } satisfies ReadRequest);
  return promise.finally(() => {
    watch.stop();
    worker.off('message', resolve).off('error', onEnd).off('exit', onEnd);
  });
}
