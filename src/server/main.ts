import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { buildApp } from './app.ts';
import { refuseHalfRestored } from './backup/restore-folder.ts';
import { DatabaseIsNewer } from './database/migrate.ts';
import type { Env } from './env.ts';
import { EnvRefused, readProcessEnv } from './env.ts';
import { findListenAddresses, formatAddress } from './http/local-names.ts';
import { listen, stopGently } from './http/pipeline/listen.ts';
import type { Log } from './log.ts';
import { createProcessLog } from './log.ts';
import { holdDataFolder, NodeRefused } from './nodes/harm.ts';
import { onStopSignal } from './nodes/own-process.ts';
import type { Services } from './services/services.ts';
import { createServices } from './services/services.ts';
import { runsAsRoot, terminalText } from './terminal.ts';
import type { CertificateSite } from './tls/certificate-site.ts';
import { openCertificateSite } from './tls/certificate-site.ts';

/** sysexits.h: the configuration is wrong. */
const exitConfig = 78;

async function start(): Promise<void> {
  const env = readEnvOrExit();
  const log = createProcessLog(env);
  const processEnd = watchProcess(log, print);
  // A restore finds the folder as it left it.
  refuseHalfRestored(env.dataFolder);
  const releaseFolder = holdDataFolder(env, log);
  const services = await createServices(env, log, readVersion());
  const app = await buildApp(services);
  const port = await listen(app, services.env);
  await services.nodes.listensOn(port);
  const site = await openSite(services, port);
  processEnd.stopBy(env.drainMs, async () => {
    // A database that is away is not waited for.
    await Promise.race([services.nodes.drain().catch(() => {}), pause(tellPatienceMs)]);
    // A server that is alone has nobody to hand its calls to.
    if (services.nodes.live().length > 0) await pause(env.drainMs);
    await Promise.all([stopGently(app, services.streams), services.runner.stop(), site?.close()]);
    await services.close();
    releaseFolder();
  });
  services.nodes.onDrain(() => processEnd.end('somebody asked this server to leave', 0));
  services.nodes.onHarm((refused) => {
    print(terminalText.harm(refused));
    processEnd.end('another server runs beside it', exitConfig);
  });
  greet(services, port, site);
  const [outcome] = await Promise.all([services.scanner.watch(), services.startWork()]);
  if (outcome !== null) print(terminalText.scan(outcome));
}

function readEnvOrExit(): Env {
  try {
    return readProcessEnv((warning) => print(`  ${warning}.`));
  } catch (error) {
    if (!(error instanceof EnvRefused)) throw error;
    print(error.message);
    process.exit(exitConfig);
  }
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

/** Opens the page that offers the local authority's certificate; null without an authority. */
async function openSite({ env, secureOrigin }: Services, securePort: number): Promise<CertificateSite | null> {
  if (env.tls.kind !== 'local' || secureOrigin === null || secureOrigin.local === null) return null;
  return openCertificateSite({
    origin: secureOrigin,
    local: secureOrigin.local,
    host: env.host,
    port: env.tls.pagePort,
    securePort,
  });
}

function greet(
  { env, roots, accounts, startedAt, clock, secureOrigin }: Services,
  port: number,
  site: CertificateSite | null,
): void {
  const reach = findListenAddresses({
    host: env.host,
    port,
    interfaces: networkInterfaces(),
    names: secureOrigin?.names() ?? null,
  });
  print(terminalText.addresses(reach));
  print(terminalText.access(env));
  if (process.getuid?.() === 0) print(runsAsRoot);
  if (site !== null && secureOrigin?.local)
    print(
      terminalText.authority(
        site.address ?? formatAddress('http', 'localhost', site.port),
        secureOrigin.local.authority.fingerprint256,
      ),
    );
  const scanned = site === null ? reach.phone : site.address;
  if (process.stdout.isTTY && scanned !== null) print(terminalText.qrCode(scanned));
  print(terminalText.library(roots.active(), clock.elapsed() - startedAt));
  const sayCode = (code: string) => print(terminalText.firstAccount(code, reach.own[0] ?? reach.phone ?? ''));
  const code = accounts.setup.current();
  if (code !== null) sayCode(code);
  accounts.setup.onRenewed(sayCode);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Ends the process on a signal, and after an uncaught error, when its state is unknown. */
interface ProcessEnd {
  /**
   * Registers the function that stops the server, and handles signals from then on.
   * @param drainMs how long it goes on to answer before it stops
   */
  stopBy(drainMs: number, stop: () => Promise<void>): void;
  /** Stops the server. @param why for the terminal */
  end(why: string, code: number): void;
}

/** sysexits.h: an internal software error. A supervisor restarts the process. */
const exitFault = 70;
/** A graceful stop takes up to 8 s (`http/pipeline/listen.ts`), the library's thread 3 s more. */
const longestStopMs = 15_000;
/** The other servers learn that this one leaves. */
const tellPatienceMs = 1_000;

/**
 * Logs uncaught errors and unhandled rejections from now on, and then stops the process as
 * gracefully as possible, because its state is unknown. The first signal stops it gracefully, the
 * second one at once.
 */
function watchProcess(log: Log, print: (text: string) => void): ProcessEnd {
  let stop: (() => Promise<void>) | null = null;
  let isStopping = false;
  let patienceMs = longestStopMs;

  async function end(code: number): Promise<void> {
    isStopping = true;
    setTimeout(() => process.exit(code === 0 ? 1 : code), patienceMs);
    try {
      await stop?.();
    } catch (err) {
      log.error({ err }, 'the server could not stop gently');
      process.exit(code === 0 ? 1 : code);
    }
    process.exit(code);
  }

  // Unhandled rejections arrive here too, as they have no handler of their own.
  process.on('uncaughtException', (err, origin) => {
    log.fatal(
      { err, origin },
      'something failed that nobody was prepared for: the server stops, because it cannot know what else is wrong',
    );
    if (!isStopping) void end(exitFault);
  });

  return {
    stopBy(drainMs, given) {
      stop = given;
      patienceMs = longestStopMs + drainMs;
      onStopSignal((signal) => {
        if (isStopping) process.exit(1);
        print(`\n  Stopping (${signal}). Once more stops at once.\n`);
        void end(0);
      });
    },
    end(why, code) {
      if (isStopping) return;
      print(`\n  Stopping (${why}).\n`);
      void end(code);
    },
  };
}

/** Another start would end in the same way. */
function isRefused(error: unknown): boolean {
  return error instanceof EnvRefused || error instanceof NodeRefused || error instanceof DatabaseIsNewer;
}

try {
  await start();
} catch (error) {
  print(terminalText.startFailure(error));
  process.exit(isRefused(error) ? exitConfig : 1);
}
