import { ByteSender } from '../features/streaming/byte-sender.ts';
import { SharedFiles } from '../features/streaming/shared-files.ts';
import type { Foundations } from '../foundations.ts';
import { openSocketQueue } from '../http/connections/socket-queue.ts';
import { UnreadBytes } from '../http/connections/unread-bytes.ts';
import { Deliveries } from '../http/sent-bytes/deliveries.ts';

/** What bytes of videos are sent with. */
export interface StreamingServices {
  files: SharedFiles;
  sender: ByteSender;
  unread: UnreadBytes;
  deliveries: Deliveries;
}

export async function createStreamingServices({ clock, streams }: Foundations): Promise<StreamingServices> {
  const queue = await openSocketQueue();
  const unread = new UnreadBytes(queue);
  return {
    files: new SharedFiles(clock),
    sender: new ByteSender({ streams, unread }),
    unread,
    deliveries: new Deliveries(queue, clock),
  };
}
