import { relative, resolve } from 'node:path';
import type { Variables } from './env-variables.ts';
import { pagePortDistance, providerNames, splitFolders } from './env-variables.ts';

/** Checks variables that are valid by themselves but not together. @returns a sentence for each problem */
export function checkTogether(variables: Variables): string[] {
  const hasId = variables.ANALYTICS_MEASUREMENT_ID !== undefined;
  const hasEndpoint = variables.ANALYTICS_ENDPOINT !== undefined;
  const analytics =
    hasId === hasEndpoint ? [] : ['ANALYTICS_MEASUREMENT_ID and ANALYTICS_ENDPOINT have to be set together'];
  const first = [checkPaths, checkDatabase, checkTls, checkNode];
  const others = [...first, checkProviders, checkBackups, checkStore, checkDelivery].map((check) => check(variables));
  return [...analytics, ...others.flat()];
}

const folders = ['DATA_DIR', 'LIBRARY_DIRS', 'BROWSE_ROOTS', 'BACKUP_DIR'] as const;
const files = ['FFMPEG_PATH', 'TLS_CERT_FILE', 'TLS_KEY_FILE'] as const;

/** A shell replaces the `~`. From `.env` it would become the name of a folder. */
function checkPaths(variables: Variables): string[] {
  return [...folders, ...files]
    .filter((name) => (variables[name] ?? '').split(':').some((path) => path.trim().startsWith('~')))
    .map((name) => `${name} has to be without '~', which only a shell understands: write the whole path`);
}

/** Some characters of a password end the part of the address that it stands in. */
function checkDatabase(variables: Variables): string[] {
  return (['DATABASE_URL', 'DATABASE_READ_URL'] as const)
    .filter((name) => !URL.canParse((variables[name] ?? 'none:').replace('@/', '@host/')))
    .map((name) => `${name} cannot be read: in a password, / is written %2F, ? is %3F, # is %23 and % is %25`);
}

/** SQLite has one server, which does everything. */
function checkNode({ ROLE, LIBRARY, DATABASE_URL, DATABASE_READ_URL }: Variables): string[] {
  if (DATABASE_URL !== undefined) return [];
  return [
    ...(ROLE === 'all' ? [] : ['ROLE goes with several servers on one DATABASE_URL']),
    ...(LIBRARY === 'all' ? [] : ['LIBRARY=none goes with several servers on one DATABASE_URL']),
    ...(DATABASE_READ_URL === undefined ? [] : ['DATABASE_READ_URL is a replica of DATABASE_URL, which has to be set']),
  ];
}

/** Nothing says how much a store still takes, so that encodings have to be given a size. */
function checkStore({ STORAGE_URL, STORAGE_SECRET, DERIVED_GB }: Variables): string[] {
  if ((STORAGE_URL === undefined) !== (STORAGE_SECRET === undefined))
    return ['STORAGE_URL and STORAGE_SECRET have to be set together'];
  return STORAGE_URL !== undefined && DERIVED_GB === undefined ? ['DERIVED_GB has to be set with STORAGE_URL'] : [];
}

/** Browsers load nothing over http on a page that they have over https. */
function checkDelivery(variables: Variables): string[] {
  const { DELIVERY, DELIVERY_SIGNING: signing, DELIVERY_KEY: key, STORAGE_URL } = variables;
  const isNetwork = DELIVERY !== 'server' && DELIVERY !== 'store';
  const problems: string[] = [];
  if (DELIVERY !== 'server' && STORAGE_URL === undefined)
    problems.push('DELIVERY needs a store: set STORAGE_URL, or leave DELIVERY unset');
  if (isNetwork && (signing === undefined || key === undefined))
    problems.push('DELIVERY_SIGNING and DELIVERY_KEY have to be set with an address in DELIVERY');
  if (!isNetwork && (signing !== undefined || key !== undefined))
    problems.push('DELIVERY_SIGNING and DELIVERY_KEY go with an address in DELIVERY');
  if (DELIVERY === 'store' && STORAGE_URL?.startsWith('bunny:') === true)
    problems.push('DELIVERY=store needs a store that speaks S3: set it to the address of the pull zone of bunny.net');
  const isPlain = isNetwork ? DELIVERY.startsWith('http:') : /[?&]tls=off\b/.test(STORAGE_URL ?? '');
  if (DELIVERY !== 'server' && isPlain && isSecureSite(variables))
    problems.push(
      isNetwork
        ? 'DELIVERY has to be an https address, as the site has one: browsers load nothing over http there'
        : 'DELIVERY=store needs a store with https, as the site has it: browsers load nothing over http there',
    );
  return problems;
}

function isSecureSite({ PUBLIC_URL, TLS, TLS_CERT_FILE }: Variables): boolean {
  return TLS === 'local' || TLS_CERT_FILE !== undefined || PUBLIC_URL?.startsWith('https://') === true;
}

/** A backup in the data folder would be lost with it; one in a library folder would be scanned. */
function checkBackups({ BACKUP_DIR, DATA_DIR, LIBRARY_DIRS }: Variables): string[] {
  if (BACKUP_DIR === undefined) return [];
  const lies = (name: string, folders: readonly string[]) =>
    folders.some((folder) => isWithin(resolve(BACKUP_DIR), folder)) ? [`BACKUP_DIR has to lie outside of ${name}`] : [];
  return [...lies('DATA_DIR', [resolve(DATA_DIR)]), ...lies('LIBRARY_DIRS', splitFolders(LIBRARY_DIRS))];
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../');
}

function checkProviders(variables: Variables): string[] {
  const problems = providerNames
    .filter(
      (name) => (variables[`${name}_CLIENT_ID`] === undefined) !== (variables[`${name}_CLIENT_SECRET`] === undefined),
    )
    .map((name) => `${name}_CLIENT_ID and ${name}_CLIENT_SECRET have to be set together`);
  if ((variables.OIDC_ISSUER === undefined) !== (variables.OIDC_CLIENT_ID === undefined))
    problems.push('OIDC_ISSUER and OIDC_CLIENT_ID have to be set together');
  const hasProvider = providerNames.some((name) => variables[`${name}_CLIENT_ID`] !== undefined);
  if (hasProvider && variables.PUBLIC_URL === undefined)
    problems.push('PUBLIC_URL has to be set for providers to send people back to');
  if (variables.OIDC_ISSUER?.startsWith('http://') === true && !isOnThisMachine(variables.OIDC_ISSUER))
    problems.push('OIDC_ISSUER has to be an https address');
  if (variables.REQUEST_ACCESS_URL !== undefined && variables.REQUEST_ACCESS_PLATFORM === undefined)
    problems.push('REQUEST_ACCESS_PLATFORM has to be set with REQUEST_ACCESS_URL');
  return problems;
}

function isOnThisMachine(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

function checkTls({ TLS, TLS_NAMES, TLS_CERT_FILE, TLS_KEY_FILE, PORT, HTTP_PORT }: Variables): string[] {
  const hasCert = TLS_CERT_FILE !== undefined;
  const hasKey = TLS_KEY_FILE !== undefined;
  const problems = hasCert === hasKey ? [] : ['TLS_CERT_FILE and TLS_KEY_FILE have to be set together'];
  if (TLS === 'local' && (hasCert || hasKey))
    problems.push('TLS=local makes its own certificate: leave TLS_CERT_FILE and TLS_KEY_FILE unset');
  if (TLS === 'off' && TLS_NAMES !== '') problems.push('TLS_NAMES goes with TLS=local');
  if (TLS === 'off' && HTTP_PORT !== undefined) problems.push('HTTP_PORT goes with TLS=local');
  if (TLS === 'local') problems.push(...checkPagePort(PORT, HTTP_PORT));
  return problems;
}

function checkPagePort(port: number, pagePort: number | undefined): string[] {
  if (pagePort === undefined && port + pagePortDistance > 65_535)
    return [`HTTP_PORT has to be set, as PORT + ${pagePortDistance} is no port`];
  return pagePort === port && port !== 0 ? ['HTTP_PORT has to differ from PORT'] : [];
}
