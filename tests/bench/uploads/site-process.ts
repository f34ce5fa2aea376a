import { monitorEventLoopDelay } from 'node:perf_hooks';
import { limits } from '#contract/limits.ts';
import { buildApp } from '#server/app.ts';
import { readProcessEnv } from '#server/env.ts';
import { startUploadSession } from '#server/features/uploads/upload-session.ts';
import { userChangeRepository } from '#server/features/users/user-change-repository.ts';
import type { SignedIn } from '#server/http/pipeline/guards.ts';
import { listen, stopGently } from '#server/http/pipeline/listen.ts';
import { createProcessLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import type { SiteOrder } from './site-order.ts';

/*
 * The product's own server with somebody who may upload.
 */
const resolutionMs = 1;
const rssEveryMs = 20;

const env = readProcessEnv();
const services = await createServices(env, createProcessLog(env), 'bench');
const app = await buildApp(services);
const port = await listen(app, env);
services.runner.start();
services.freeMemory.start();
await services.scanner.request();
await services.uploads.start();
const sender = await putSender();
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
let highestRss = 0;
setInterval(() => {
  highestRss = Math.max(highestRss, process.memoryUsage.rss());
}, rssEveryMs);

async function putSender(): Promise<SignedIn> {
  // Of each start another one.
  const userId = services.ids.long();
  await services.database.write(async (transaction) => {
    await userChangeRepository.insert(transaction, {
      id: userId,
      username: userId,
      email: `${userId}@example.com`,
      isEmailVerified: false,
      displayName: null,
      tier: 'basic',
      passwordHash: '',
      createdAt: services.clock.now(),
    });
    await userChangeRepository.update(transaction, userId, { eulaVersion: limits.eulaVersion });
  });
  return { userId, sessionId: '', tier: 'basic', isAdmin: false, revision: 0 };
}

async function obey(order: SiteOrder): Promise<unknown> {
  if (order === 'watch') {
    delays.enable();
    delays.reset();
    highestRss = process.memoryUsage.rss();
    return {};
  }
  if (order === 'report') {
    delays.disable();
    // What it measures includes its own interval.
    const loopP99Ms = Math.max(0, delays.percentile(99) / 1e6 - resolutionMs);
    return { loopP99Ms, rssMegabytes: highestRss / 1e6 };
  }
  if (order === 'write') {
    const { database, clock, ids } = services;
    const setting = { name: ids.short(), value: '1', updated_at: clock.now() };
    await database.write((transaction) => transaction.insertInto('settings').values(setting).execute());
    return {};
  }
  const files = order.open.map((size) => ({ filename: 'a film.mp4', file_size: size, mime_type: 'video/mp4' }));
  return startUploadSession(services.uploads, sender, { files });
}

process.on('message', async (order: SiteOrder) => {
  process.send?.(await obey(order).catch((error: unknown) => ({ refused: String(error) })));
});
process.once('disconnect', async () => {
  await stopGently(app, services.streams);
  await services.close();
  process.exit(0);
});
process.send?.({ port });
