import { setTimeout as wait } from 'node:timers/promises';
import { buildApp } from '#server/app.ts';
import { readProcessEnv } from '#server/env.ts';
import { folderChannelRepository } from '#server/features/library/folder-channels/folder-channel-repository.ts';
import { listen, stopGently } from '#server/http/pipeline/listen.ts';
import { createProcessLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import type { ScanOrder } from './scan.ts';

/**
 * The product's own server, which scans when it is told to by a message, and answers with the milliseconds that it
 * took.
 */
const env = readProcessEnv();
const services = await createServices(env, createProcessLog(env), 'bench');
const app = await buildApp(services);
const port = await listen(app, env);
services.runner.start();

/** As often as it may be: the product waits for 20 s each time. */
const fillEveryMs = 100;

/** Puts the names of new files into the index meanwhile, as the product does. */
async function scanAndIndex() {
  await services.nameIndex.start();
  return services.scanner.request();
}

/** Puts the names of new files into the index all the time. */
async function scanBesideIndex() {
  let isOver = false;
  const scanning = services.scanner.request().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await services.nameIndex.fill();
    await wait(fillEveryMs);
  }
  return scanning;
}

/** Folders become no channels. */
async function scanWithoutChannels() {
  await services.database.write((transaction) => folderChannelRepository.writeSwitch(transaction, false, 1));
  return services.scanner.request();
}

const orders: Readonly<Record<ScanOrder, () => Promise<{ found: number; read: number } | null | undefined>>> = {
  scan: () => services.scanner.request(),
  'scan-and-index': scanAndIndex,
  'scan-beside-index': scanBesideIndex,
  'scan-without-channels': scanWithoutChannels,
  watch: () => services.scanner.watch(),
};

process.on('message', async (order: ScanOrder) => {
  const start = performance.now();
  const outcome = await orders[order]();
  process.send?.({ ms: performance.now() - start, found: outcome?.found ?? 0, read: outcome?.read ?? 0 });
});
process.once('disconnect', async () => {
  services.nameIndex.stop();
  await stopGently(app, services.streams);
  await services.close();
  process.exit(0);
});
process.send?.({ port });
