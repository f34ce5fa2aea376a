import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { Clock } from '../../clock.ts';
import type { OpenStreams } from '../../http/open-streams.ts';
import type { BufferPool } from './buffer-pool.ts';
import { createBufferPool } from './buffer-pool.ts';
import type { ByteSource, Chunk, ChunkReader } from './chunk-reader.ts';
import { createChunkReader } from './chunk-reader.ts';
import type { ByteResponse, ClientWatch } from './client-watch.ts';
import { cut, watchClient } from './client-watch.ts';
import type { Pace } from './pace.ts';
import { adjustPace, hurryPace, startPace } from './pace.ts';
import type { StallWatch } from './stall-watch.ts';
import { createStallWatch } from './stall-watch.ts';

const mebibyte = 1024 * 1024;

/** For the whole process, however many clients there are. */
const processLimits = { inFlightBytes: 32 * mebibyte, stalledBytes: 64 * mebibyte, stalledAfterMs: 500 };

export interface ByteSender {
  readonly pool: Pick<BufferPool, 'inFlight' | 'kept'>;
  readonly stalls: Pick<StallWatch, 'stalledBytes'>;
  /**
   * Writes a window of a file into an answer whose head is sent, as fast as the client takes it. Ends early when the client goes away. When the
   * file turns out to be shorter than it was, or cannot be read, the answer is cut: its length is promised already, and nothing else may fill it.
   * @returns when nothing is being read any more
   */
  send(response: ByteResponse, source: ByteSource, window: FileWindow): Promise<void>;
}

export function createByteSender(clock: Clock, streams: OpenStreams, limits: Partial<typeof processLimits> = {}): ByteSender {
  const { inFlightBytes, stalledBytes, stalledAfterMs } = { ...processLimits, ...limits };
  const pool = createBufferPool(inFlightBytes);
  const stalls = createStallWatch(clock, { afterMs: stalledAfterMs, capBytes: stalledBytes });
  /** By connection: the next range begins as the last one ended. */
  const paces = new WeakMap<object, Pace>();

  function paceOf({ socket }: ByteResponse): Pace {
    const pace = (socket && paces.get(socket)) ?? startPace(streams.size);
    if (socket) paces.set(socket, pace);
    return pace;
  }

  /** While the client takes these bytes, the next are read; when it does not, nothing is held but what it was given. */
  async function write(response: ByteResponse, client: ClientWatch, reader: ChunkReader, { lease, bytes }: Chunk): Promise<number> {
    const startedAt = clock.elapsed();
    const onStall = () => {
      lease.park();
      reader.drop();
    };
    const unwatch = stalls.watch({ bytes: lease.buffer.length, onStall, cut: () => cut(response) });
    const isTaken = await client.write(bytes);
    unwatch();
    if (isTaken) lease.giveBack();
    else lease.abandon();
    return clock.elapsed() - startedAt;
  }

  async function sendAll(response: ByteResponse, client: ClientWatch, reader: ChunkReader): Promise<void> {
    const pace = paceOf(response);
    const isWanted = () => !client.isGone;
    while (!reader.isAtEnd && isWanted()) {
      const chunk = await reader.next(pace.bytes, isWanted);
      if (chunk === null) return;
      reader.prepare(pace.bytes);
      adjustPace(pace, await write(response, client, reader, chunk));
    }
    if (!isWanted()) return;
    hurryPace(pace);
    response.end();
  }

  return {
    pool,
    stalls,
    async send(response, source, window) {
      const client = watchClient(response);
      const reader = createChunkReader(pool, source, window);
      const remove = streams.add(() => cut(response));
      try {
        await sendAll(response, client, reader);
      } catch {
        cut(response);
      } finally {
        await reader.close();
        client.end();
        remove();
      }
    },
  };
}
