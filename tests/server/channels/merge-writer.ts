import { readEnv } from '#server/env.ts';
import { createLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import { watchStatements } from '../../support/database/statements.ts';

/**
 * A process that does the jobs of a site until it kills itself. Arguments: the site's environment as JSON, and the
 * number of the statement before which that is, from 0.
 */
const [variables = '{}', last] = process.argv.slice(2);
const services = await createServices(readEnv(JSON.parse(variables)), createLog('silent'), '1.2.3', {
  jobTimes: { poll: 5, heartbeat: 50, lease: 200 },
});
watchStatements((sent) => {
  if (sent === Number(last)) process.kill(process.pid, 'SIGKILL');
});
services.runner.start();
// What it does keeps no process alive.
setInterval(() => {}, 1_000);
