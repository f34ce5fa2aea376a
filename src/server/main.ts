import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { buildApp } from './app.ts';
import type { Env } from './env.ts';
import { EnvRefused, readProcessEnv } from './env.ts';
import { listen, stopGently } from './http/listen.ts';
import { createProcessLog } from './log.ts';
import type { Services } from './services.ts';
import { createServices } from './services.ts';
import { sayAddresses, sayLibrary, sayScan, sayStartFailure } from './terminal.ts';

/** sysexits.h: the configuration is wrong. */
const exitConfig = 78;

async function start(): Promise<void> {
  const env = readEnvOrExit();
  const log = createProcessLog(env);
  const services = await createServices(env, log, readVersion());
  const app = await buildApp(services);
  const port = await listen(app, env);
  stopOnSignal(async () => {
    await stopGently(app, services.streams);
    await services.close();
  });
  greet(services, port);
  const outcome = await services.scanner.request();
  if (outcome !== null) print(sayScan(outcome));
}

function readEnvOrExit(): Env {
  try {
    return readProcessEnv();
  } catch (error) {
    if (!(error instanceof EnvRefused)) throw error;
    print(error.message);
    process.exit(exitConfig);
  }
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  return version;
}

function greet({ env, roots, startedAt, clock }: Services, port: number): void {
  print(sayAddresses(env.host, port, networkInterfaces()));
  print(sayLibrary(roots.active(), clock.elapsed() - startedAt));
}

/** The first signal stops gently, the second at once. */
function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = async (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    print(`\n  Stopping (${signal}). Once more stops at once.\n`);
    await stop();
    process.exit(0);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await start();
} catch (error) {
  print(sayStartFailure(error));
  process.exit(1);
}
