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

export interface Connections {
  /**
   * When there are too many answers in all, the one that has waited for the longest for a client that does not read makes room.
   * @throws Unavailable
   */
  enter(response: ByteResponse, window: FileWindow): Connection;
  leave(connection: Connection): void;
}

export function createConnections(streams: Pick<OpenStreams, 'size'>, stalls: Pick<StallWatch, 'cutLongest'>, limits: AnswerLimits): Connections {
  const known = new WeakMap<object, Connection>();

  function find(response: ByteResponse, { start, end }: FileWindow): Connection {
    const key = connectionOf(response) ?? response;
    const found = known.get(key);
    if (found !== undefined) return found;
    const connection = { pace: startPace(isHttp2(response), end - start + 1), answers: 0 };
    known.set(key, connection);
    return connection;
  }

  return {
    enter(response, window) {
      const connection = find(response, window);
      const isFull = connection.answers >= limits.answersPerConnection || (streams.size >= limits.answers && !stalls.cutLongest());
      if (isFull) throw new Unavailable(undefined, 1);
      connection.answers += 1;
      return connection;
    },
    leave(connection) {
      connection.answers -= 1;
    },
  };
}
