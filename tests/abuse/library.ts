import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.ts';
import type { Target } from './target.ts';

const patienceMs = 60_000;

/** Has the library looked through until a new video can be played. @returns whether it came to that */
export async function untilScanned(target: Target, client: Client, path: string): Promise<boolean> {
  const { client: keeper } = await target.admin();
  const end = performance.now() + patienceMs;
  await keeper.post('/api/refresh', {});
  while (performance.now() < end) {
    const { status } = await client.get(`/api/video/stream?path=${encodeURIComponent(path)}`, { range: 'bytes=0-9' });
    if (status === 206) return true;
    await delay(200);
  }
  return false;
}
