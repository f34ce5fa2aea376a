import type { RequestListener, Server } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Env } from '../env.ts';
import type { Log } from '../log.ts';
import { repeat } from '../repeat.ts';
import type { CertificateSource } from './certificate-files.ts';
import { openCertificateFiles } from './certificate-files.ts';
import type { LocalCertificate, LocalHost } from './local-certificate.ts';
import { openLocalCertificate } from './local-certificate.ts';
import type { SecureServer } from './secure-server.ts';
import { createSecureServer } from './secure-server.ts';
import { isPubliclyTrusted, namesOf } from './tls-certificate.ts';

/** The https side of the server. */
export interface SecureOrigin {
  /** For the framework: a server that always shows the present certificate. */
  createServer(handler: RequestListener): Server;
  /** Names and addresses that the present certificate vouches for. */
  names(): readonly string[];
  isPubliclyTrusted(): boolean;
  /** What devices have to install first; null when the operator brought a certificate. */
  local: LocalCertificate | null;
  /** Looks for another certificate, and renews. Never throws. */
  refresh(): Promise<void>;
  close(): void;
}

export interface SecureOriginDeps {
  clock: Clock;
  log: Log;
  readHost?: () => LocalHost;
}

const refreshMs = 10_000;

const thisHost = (): LocalHost => ({ hostname: hostname(), interfaces: networkInterfaces() });

/**
 * Null without TLS.
 * @throws EnvRefused when there is no usable certificate
 */
export async function openSecureOrigin(
  env: Pick<Env, 'tls' | 'dataFolder'>,
  { clock, log, readHost = thisHost }: SecureOriginDeps,
): Promise<SecureOrigin | null> {
  const { tls } = env;
  if (tls.kind === 'off') return null;
  if (tls.kind === 'files') return keepFresh(await openCertificateFiles(tls), null, log);
  const local = await openLocalCertificate({
    folder: join(env.dataFolder, 'tls'),
    clock,
    readHost,
    addedNames: tls.names,
  });
  return keepFresh(local, local, log);
}

function keepFresh(source: CertificateSource, local: LocalCertificate | null, log: Log): SecureOrigin {
  const servers: SecureServer[] = [];
  const warn = createRepeatGuard(log);
  let facts = factsOf(source);

  const look = async () => {
    try {
      if (await source.refresh()) {
        facts = factsOf(source);
        for (const server of servers) server.use(source.current());
        log.info({ names: facts.names }, 'another certificate is in use');
      }
      warn(sayBeyond(local?.beyond() ?? []));
    } catch (error) {
      warn(
        `the certificate in use stays, as the new one cannot be taken: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  let looking: Promise<void> | null = null;
  const refresh = () => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };
  const refreshing = repeat(refresh, refreshMs);
  warn(sayBeyond(local?.beyond() ?? []));
  const suffixes = local?.publicSuffixes ?? [];
  if (suffixes.length > 0)
    log.warn(
      `the local authority may vouch for all names below ${suffixes.join(', ')}: move DATA_DIR/tls away, and install the new authority on each device in place of the old one`,
    );

  return {
    createServer(handler) {
      const server = createSecureServer(source.current(), handler);
      servers.push(server);
      return server.server;
    },
    names: () => facts.names,
    isPubliclyTrusted: () => facts.isPubliclyTrusted,
    local,
    refresh,
    close: refreshing.stop,
  };
}

function factsOf(source: CertificateSource) {
  const present = source.current();
  return { names: namesOf(present), isPubliclyTrusted: isPubliclyTrusted(present) };
}

function sayBeyond(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  return `the local authority may not vouch for ${names.join(', ')}: use another name, or make a new authority (README, 'A secure address at home')`;
}

/** The same warning every ten seconds would hide all others. */
function createRepeatGuard(log: Log): (message: string | null) => void {
  let last: string | null = null;
  return (message) => {
    if (message !== null && message !== last) log.warn(message);
    last = message;
  };
}
