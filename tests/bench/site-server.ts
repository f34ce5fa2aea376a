import { buildApp } from '#server/app.ts';
import { readProcessEnv } from '#server/env.ts';
import { listen, stopGently } from '#server/http/pipeline/listen.ts';
import { createProcessLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import { drawBarePage } from './bare-page.ts';

/**
 * The product's own server with two pages more: `/bare` shows four videos of the library, which its query names, and
 * `/idle` tells whether the work in the background is done.
 */
const env = readProcessEnv();
const services = await createServices(env, createProcessLog(env), 'bench');
const app = await buildApp(services);

app.get<{ Querystring: { video: string[]; playing: string } }>('/bare', (request, reply) => {
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', "default-src 'self' 'unsafe-inline'");
  return drawBarePage(request.query.video, Number(request.query.playing));
});

let isWorkStarted = false;
app.get('/idle', async () => isWorkStarted && (await countDueJobs()) === 0);

/** How many jobs run, or would run if there were room. */
async function countDueJobs(): Promise<number> {
  const { count } = await services.database.reader
    .selectFrom('jobs')
    .select((select) => select.fn.countAll().as('count'))
    .where('state', 'in', ['queued', 'running'])
    .where('run_at', '<=', services.clock.now())
    .executeTakeFirstOrThrow();
  return Number(count);
}

await listen(app, env);
process.once('SIGTERM', async () => {
  await stopGently(app, services.streams);
  await services.close();
  process.exit(0);
});
await Promise.all([services.scanner.request(), services.startWork()]);
isWorkStarted = true;
