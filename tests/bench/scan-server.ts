import { buildApp } from '#server/app.ts';
import { readProcessEnv } from '#server/env.ts';
import { listen, stopGently } from '#server/http/pipeline/listen.ts';
import { createProcessLog } from '#server/log.ts';
import { createServices } from '#server/services.ts';
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

process.on('message', async (order: ScanOrder) => {
  const start = performance.now();
  const outcome = order === 'watch' ? await services.scanner.watch() : await services.scanner.request();
  process.send?.({ ms: performance.now() - start, found: outcome?.found ?? 0, read: outcome?.read ?? 0 });
});
process.once('disconnect', async () => {
  await stopGently(app, services.streams);
  await services.close();
  process.exit(0);
});
process.send?.({ port });
