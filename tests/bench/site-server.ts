import { buildApp } from '#server/app.ts';
import { readProcessEnv } from '#server/env.ts';
import { listen, stopGently } from '#server/http/pipeline/listen.ts';
import { createProcessLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import { drawBarePage } from './bare-page.ts';

/** The product's own server with one page more, `/bare`: four videos of the library, named in its query. */
const env = readProcessEnv();
const services = await createServices(env, createProcessLog(env), 'bench');
const app = await buildApp(services);

app.get<{ Querystring: { video: string[] } }>('/bare', (request, reply) => {
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', "default-src 'self' 'unsafe-inline'");
  return drawBarePage(request.query.video);
});

await listen(app, env);
process.once('SIGTERM', async () => {
  await stopGently(app, services.streams);
  await services.close();
  process.exit(0);
});
await Promise.all([services.scanner.request(), services.startWork()]);
