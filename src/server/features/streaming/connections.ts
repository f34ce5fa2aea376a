import type { FileWindow } from '#contract/rules/file-windows.ts';
import { Unavailable } from '../../http/pipeline/errors.ts';
import type { OpenStreams } from '../../http/pipeline/open-streams.ts';
import type { ByteResponse } from './client-watch.ts';
import { connectionOf, isHttp2 } from './client-watch.ts';
import type { Pace } from './pace.ts';
import { startPace } from './pace.ts';
import type { StallWatch } from './stall-watch.ts';

/** What is known of a connection: the next range begins as the last one ended. */
export interface Connection {
  readonly pace: Pace;
  /** Being sent now. */
  answers: number;
}

export interface AnswerLimits {
  /** Being sent at the same time by the whole process. */
  answers: number;
  /** By one connection, which the tabs of a browser share over HTTP/2. */
  answersPerConnection: number;
}

export class Connections {
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
   * When there are too many answers in all, the one that has waited for the longest for a client that does not read
   * makes room.
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
