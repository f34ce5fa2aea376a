import { Writable } from 'node:stream';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import { buildApp } from '#server/app.ts';
import { readEnv } from '#server/env.ts';
import { createPasswordHasher } from '#server/features/users/password-hasher.ts';
import { createLog } from '#server/log.ts';
import type { ServiceOverrides, Services } from '#server/services/services.ts';
import { createServices } from '#server/services/services.ts';
import { migratedSite } from './database/test-database.ts';
import type { AtEnd } from './temporary-folder.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The least that Argon2 allows: tests sign in by the hundred. */
const cheapHasher = createPasswordHasher({ memoryKiB: 8, passes: 1 });

export interface ServerUnderTest {
  app: FastifyInstance;
  services: Services;
  /** What was logged so far. */
  logged(): string;
  call(
    method: InjectOptions['method'],
    url: string,
    options?: Omit<InjectOptions, 'method' | 'url'>,
  ): Promise<LightMyRequestResponse>;
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** Stops it, so that another one can take its place with other settings. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Library folders; none: an empty folder that is not looked at, not the demo. */
  library?: string[];
  /** Serve the demo clips, as a newcomer has it. */
  isDemo?: boolean;
  env?: Record<string, string>;
  overrides?: ServiceOverrides;
}

/**
 * A whole server without a port, on a database of its own; the library that it was given is scanned. It goes at the end
 * of the test, or of whatever `atEnd` is about.
 */
export async function startServer(
  options: ServerOptions = {},
  atEnd: AtEnd = onTestFinished,
): Promise<ServerUnderTest> {
  const env = readEnv({ PATH: process.env.PATH, ...(await variablesFor(options, atEnd)) });
  const lines: string[] = [];
  const log = createLog('trace', collector(lines));
  const services = await createServices(env, log, '1.2.3', {
    ...options.overrides,
    accounts: { hasher: cheapHasher, ...options.overrides?.accounts },
  });
  const app = await buildApp(services);
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= app.close().then(() => services.close());
    return stopped;
  };
  atEnd(stop);
  await app.ready();
  services.runner.start();
  if (options.library !== undefined || options.isDemo === true) await services.scanner.request();
  const call: ServerUnderTest['call'] = (method, url, more = {}) => app.inject({ method, url, ...more });
  return {
    app,
    services,
    logged: () => lines.join(''),
    call,
    get: (url, headers = {}) => call('GET', url, { headers }),
    stop,
  };
}

async function variablesFor(
  { library, isDemo = false, env = {} }: ServerOptions,
  atEnd: AtEnd,
): Promise<Record<string, string | undefined>> {
  const site = { ...(await migratedSite(atEnd)), ...env };
  const folders = library ?? [emptyLibraryOf(site, atEnd)];
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    // A machine that tests keep busy refuses nothing.
    OVERLOAD: 'endure',
    LIBRARY_DIRS: isDemo ? undefined : folders.join(':'),
    ...site,
  };
}

const emptyLibraries = new Map<string, string>();

/** All servers of a site have the same library. */
function emptyLibraryOf({ DATA_DIR: folder = '', DATABASE_URL: url }: Record<string, string>, atEnd: AtEnd): string {
  const site = url || folder;
  const known = emptyLibraries.get(site);
  if (known !== undefined) return known;
  const library = temporaryFolder(atEnd);
  emptyLibraries.set(site, library);
  atEnd(() => void emptyLibraries.delete(site));
  return library;
}

function collector(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}
