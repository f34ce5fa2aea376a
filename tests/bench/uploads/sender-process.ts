import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/*
 * Sends several bodies at once, each a part of what it declares. Argument: JSON. Its parent hears when all have been sent,
 * and ends them by letting it go.
 */
export interface SendOrder {
  targets: readonly { url: string; key: string }[];
  declaredBytes: number;
  sentBytes: number;
  /** Of each; null: as fast as it is taken. */
  bytesPerSecond: number | null;
}

const { targets, declaredBytes, sentBytes, bytesPerSecond } = JSON.parse(process.argv[2] ?? '') as SendOrder;
const block = randomBytes(256 * 1024);

async function send({ url, key }: SendOrder['targets'][number]): Promise<void> {
  const headers = { accesskey: key, 'content-length': declaredBytes };
  const sending = request(url, { method: 'PUT', headers, agent: false });
  sending.on('error', () => {});
  const begun = performance.now();
  for (let sent = 0; sent < sentBytes; sent += block.length) {
    if (!sending.write(block)) await once(sending, 'drain');
    if (bytesPerSecond === null) continue;
    const aheadMs = (sent / bytesPerSecond) * 1_000 - (performance.now() - begun);
    if (aheadMs > 5) await wait(aheadMs);
  }
}

await Promise.all(targets.map(send));
process.send?.('sent');
process.once('disconnect', () => process.exit(0));
