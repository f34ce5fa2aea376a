import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { ByteCounter } from '../../http/connections/sent-bytes.ts';
import type { UnreadBytes } from '../../http/connections/unread-bytes.ts';
import { Unavailable } from '../../http/pipeline/errors.ts';
import type { OpenStreams } from '../../http/pipeline/listen.ts';
import { BufferPool } from './buffer-pool.ts';
import type { ByteResponse, Chunk, FileSource } from './chunk-reader.ts';
import { ChunkReader, ClientWatch, connectionOf, cut, drop, hasGone, isHttp2 } from './chunk-reader.ts';
import type { ClientPace } from './client-pace.ts';
import { adjustPace, hurryPace, StallWatch, startPace } from './client-pace.ts';

const mebibyte = 1024 * 1024;

/**
 * Limits of the whole process, however many clients there are; `takesMs` is how long a client may
 * take for 64 KiB.
 */
const processLimits = {
  inFlightBytes: 8 * mebibyte,
  stalledBytes: 64 * mebibyte,
  stalledAfterMs: 500,
  takesMs: 60_000,
  answers: 4_096,
  answersPerConnection: 32,
};

interface ByteAnswer {
  response: ByteResponse;
  /** Counts the bytes sent. */
  viewer: ByteCounter;
  /** Called once, when the first bytes are available. */
  sendHead(): void;
  /** Called once when the file can no longer be read and the answer is cut. */
  readFailed(error: unknown): void;
}

/** The objects that send one answer. */
interface Course {
  viewer: ByteCounter;
  client: ClientWatch;
  reader: ChunkReader;
  pace: ClientPace;
}

export class ByteSender {
  readonly pool: BufferPool;
  readonly stalls: StallWatch;
  private readonly streams: OpenStreams;
  /** Counts the bytes handed to the operating system. */
  private readonly unread: Pick<UnreadBytes, 'given'>;
  private readonly connections: Connections;

  constructor(streams: OpenStreams, unread: Pick<UnreadBytes, 'given'>, limits: Partial<typeof processLimits> = {}) {
    const { inFlightBytes, stalledBytes, stalledAfterMs, takesMs, ...answerLimits } = { ...processLimits, ...limits };
    this.streams = streams;
    this.unread = unread;
    this.pool = new BufferPool(inFlightBytes);
    this.stalls = new StallWatch({ afterMs: stalledAfterMs, capBytes: stalledBytes, takesMs });
    this.connections = new Connections(streams, this.stalls, answerLimits);
  }

  /**
   * Writes a window of a file into an answer, as fast as the client takes it. Ends early when the
   * client disconnects. When the file turns out to be shorter or cannot be read any further, the
   * answer is cut: its length is already announced, and no other bytes may fill it.
   * @returns once nothing is being read any more
   * @throws why the file cannot be read, as long as no head is sent; Unavailable when too many
   * answers are being sent
   */
  async send(answer: ByteAnswer, source: FileSource, window: FileWindow): Promise<void> {
    const { response, viewer } = answer;
    if (hasGone(response)) return;
    const connection = this.connections.enter(response, window);
    const client = new ClientWatch(response);
    const reader = new ChunkReader({ pool: this.pool, source, reader: client, owner: connection }, window);
    const course = { viewer, client, reader, pace: connection.pace };
    const remove = this.streams.add(() => cut(response));
    try {
      const first = await reader.next(connection.pace.bytes);
      const isBegun = first !== null && begin(answer, client, first);
      await this.sendAll(response, course, isBegun ? first : null).catch((error: unknown) => {
        answer.readFailed(error);
        cut(response);
      });
    } finally {
      await reader.close();
      client.end();
      remove();
      this.connections.leave(connection);
    }
  }

  private async sendAll(response: ByteResponse, course: Course, first: Chunk | null): Promise<void> {
    const { client, reader, pace } = course;
    let sent = 0;
    for (let chunk = first; chunk !== null; chunk = await reader.next(pace.bytes)) {
      reader.prepare(pace.bytes);
      sent += chunk.bytes.length;
      adjustPace(pace, chunk.bytes.length, await this.write(response, course, chunk));
    }
    if (!reader.isAtEnd || client.isGone) return;
    // A few bytes prove nothing: the operating system accepts them even for a client that never
    // reads.
    if (sent >= pace.bytes) hurryPace(pace);
    response.end();
  }

  /**
   * Writes a chunk while the next one is being read. When the client stalls, only the written bytes
   * stay in memory.
   * @returns whether the client stalled
   */
  private async write(response: ByteResponse, course: Course, { lease, bytes }: Chunk): Promise<boolean> {
    let hasStalled = false;
    const onStall = () => {
      hasStalled = true;
      lease.park();
      course.reader.drop();
    };
    const unwatch = this.stalls.watch({ bytes: lease.buffer.length, onStall, cut: () => drop(response) });
    this.unread.given(bytes.length);
    course.viewer.given(bytes.length);
    const isTaken = await course.client.write(bytes);
    unwatch();
    if (isTaken) lease.release();
    else lease.abandon();
    return hasStalled;
  }
}

/** Sends the head before the first bytes. @returns false when the client has disconnected */
function begin({ sendHead }: ByteAnswer, client: ClientWatch, { lease }: Chunk): boolean {
  let isBegun = false;
  try {
    if (!client.isGone) sendHead();
    isBegun = !client.isGone;
  } finally {
    if (!isBegun) lease.release();
  }
  return isBegun;
}

/** The state of a connection; the next range starts at the pace of the last one. */
interface Connection {
  readonly pace: ClientPace;
  /** Answers that are being sent now. */
  answers: number;
}

interface AnswerLimits {
  /** The most answers that the whole process sends at the same time. */
  answers: number;
  /** The most answers on one connection, which the tabs of a browser share over HTTP/2. */
  answersPerConnection: number;
}

class Connections {
  private readonly streams: Pick<OpenStreams, 'size'>;
  private readonly stalls: Pick<StallWatch, 'cutLongest'>;
  private readonly limits: AnswerLimits;
  private readonly known = new WeakMap<object, Connection>();

  constructor(streams: Pick<OpenStreams, 'size'>, stalls: Pick<StallWatch, 'cutLongest'>, limits: AnswerLimits) {
    this.streams = streams;
    this.stalls = stalls;
    this.limits = limits;
  }

  /**
   * Admits an answer. When the process sends too many, the answer that has stalled for the longest
   * is cut to make room.
   * @throws Unavailable
   */
  enter(response: ByteResponse, window: FileWindow): Connection {
    const connection = this.find(response, window);
    const { answers, answersPerConnection } = this.limits;
    const isFull =
      connection.answers >= answersPerConnection || (this.streams.size >= answers && !this.stalls.cutLongest());
    if (isFull) throw new Unavailable(undefined, 1);
    connection.answers += 1;
    return connection;
  }

  leave(connection: Connection): void {
    connection.answers -= 1;
  }

  private find(response: ByteResponse, { start, end }: FileWindow): Connection {
    const key = connectionOf(response) ?? response;
    const found = this.known.get(key);
    if (found !== undefined) return found;
    const connection = { pace: startPace(isHttp2(response), end - start + 1), answers: 0 };
    this.known.set(key, connection);
    return connection;
  }
}
