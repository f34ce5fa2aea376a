import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { TagEditingPolicy } from '#contract/rules/tag.ts';
import type { InvitedTier } from '#contract/rules/tiers.ts';
import type { UploadPolicy } from '#contract/rules/upload-file.ts';
import { checkTogether } from './env-checks.ts';
import type { JobPlaces, logLevels, providerNames, Variables } from './env-variables.ts';
import {
  envSchema,
  pagePortDistance,
  readBrowseRoots,
  readJobPlaces,
  readLibraries,
  readProxies,
  splitFolders,
  splitNames,
} from './env-variables.ts';

export type LogLevel = (typeof logLevels)[number];

/**
 * TLS of the server: none, the operator's certificate, or a certificate of a local authority. The
 * authority's own certificate is offered for download over http at `pagePort`.
 */
type TlsChoice =
  | { kind: 'off' }
  | { kind: 'files'; certFile: string; keyFile: string }
  | { kind: 'local'; names: string[]; pagePort: number };

/**
 * Bytes of videos in the store are sent by this server, by the store itself, or by a network that
 * delivers its objects at an address of its own.
 */
type DeliveryChoice =
  | { kind: 'server' }
  | { kind: 'store' }
  | { kind: 'network'; origin: string; signing: 'bunny' | 'nginx'; key: string };

/** The credentials by which a sign-in provider knows this site. */
export interface ProviderClient {
  clientId: string;
  clientSecret: string;
}

/**
 * The settings of this installation. Administrators can change some of them while the server runs:
 * then the fields are replaced in place, so read them when they are needed (0074).
 */
export interface Env {
  /** The variables that are set, by their names. Administrators cannot change these. */
  given: Readonly<Record<string, string>>;
  host: string;
  port: number;
  /** Absolute, like the library folders. */
  dataFolder: string;
  /** Absent: SQLite in the data folder. */
  databaseUrl: string | undefined;
  /** The most connections to PostgreSQL. */
  databasePool: number;
  /** A replica of `databaseUrl`. */
  databaseReadUrl: string | undefined;
  /** False: calls that are too many wait instead. */
  refusesOverload: boolean;
  /** Absolute. Absent: no nightly backups are made. */
  backupFolder: string | undefined;
  /** The hour of local time at which the nightly backup is made, 0 to 23. */
  backupHour: number;
  /** This server answers calls, runs jobs, or does both. */
  role: 'all' | 'web' | 'jobs';
  /** How many jobs of each lane run at a time here, where that differs from the default. */
  jobPlaces: JobPlaces;
  /** Milliseconds in which a server that leaves still answers everything but `/readyz`. */
  drainMs: number;
  /** False: this server serves no folders, only what lies in stores. */
  servesFolders: boolean;
  /** Empty: nothing was configured. */
  libraryFolders: string[];
  libraryStores: { url: string; secret: string }[];
  libraryScanMinutes: number;
  /**
   * Absolute; below these, administrators may look for folders. Absent: beside the library folders.
   */
  browseRoots: string[] | undefined;
  logLevel: LogLevel | undefined;
  isProduction: boolean;
  /** Addresses and networks whose `X-Forwarded` headers are believed; empty: none. */
  trustedProxies: string[];
  tls: TlsChoice;
  /** Absolute. Absent: FFmpeg is searched for. */
  ffmpegPath: string | undefined;
  /** The system's PATH, which is searched for programs. */
  searchPath: string;
  analytics: { measurementId: string; endpoint: string } | null;
  /** The public origin of the site; absent: whatever origin the browser used. */
  publicOrigin: string | undefined;
  /** The only host names answered, lower case; empty: those that reach a site on a home network. */
  allowedHosts: string[];
  /** Absent: the site is open. */
  sitePassword: string | undefined;
  /** The contact through which visitors of a closed site ask for its password. */
  requestAccess: { platform: string; url: string | null } | null;
  isRegistrationOpen: boolean;
  /** The plan of an invitation for which none is named. */
  invitationPlan: InvitedTier;
  /** The version of the agreement that people have to accept. */
  agreementVersion: string;
  billing: 'open' | 'closed';
  uploads: UploadPolicy;
  /** The most bytes that one person may store; absent: limited by disk space only. */
  uploadQuotaBytes: number | undefined;
  /** Bytes of the disk that uploads leave free; absent: depends on its size. */
  uploadReserveBytes: number | undefined;
  /** The largest request body that a proxy in front lets through, in MiB. */
  uploadChunkMb: number | undefined;
  /** Bytes that encodings may take, 0: none are made; absent: depends on the free disk space. */
  derivedBytes: number | undefined;
  /** The store that keeps files instead of the data folder; null without one. */
  store: { url: string; secret: string } | null;
  delivery: DeliveryChoice;
  /** Bytes that copies of the store's files may take; absent: depends on the free disk space. */
  cacheBytes: number | undefined;
  /** The token that a monitor sends to read the metrics; absent: nobody can read them. */
  metricsToken: string | undefined;
  /** The address that knows the newest version; absent: nobody is asked. */
  updateCheckUrl: string | undefined;
  /** Playing time until the next video of a quadrant. */
  switchIntervalSeconds: number;
  /** Who may change tags, and the videos that they are on. */
  tagEditing: TagEditingPolicy;
  /** Whether the site remembers what each viewer has watched. */
  remembersWatched: boolean;
  providers: {
    google: ProviderClient | null;
    github: ProviderClient | null;
    discord: ProviderClient | null;
    oidc: (ProviderClient & { issuer: string; displayName: string }) | null;
  };
}

/** Reports all problems of the environment at once. */
export class EnvRefused extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** A balancer asks `/readyz` every few seconds. On SQLite nobody else takes over the calls. */
const usualDrainSeconds = 5;

/** Decimal, as disk sizes are advertised. */
const bytesPerGigabyte = 1e9;

/** @throws EnvRefused */
export function readEnv(variables: Record<string, string | undefined>): Env {
  // Elsewhere, blanks count as unset. Here they would leave a site open that its operator means to
  // close.
  if (/^\s+$/.test(variables.SITE_PASSWORD ?? ''))
    throw new EnvRefused(['SITE_PASSWORD consists of blanks: set a password, or leave it out to open the site']);
  const parsed = envSchema.safeParse(withoutBlanks(variables));
  const problems = parsed.success
    ? checkTogether(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (!parsed.success || problems.length > 0) throw new EnvRefused(problems);
  const given = Object.entries(withoutBlanks(variables)).filter(([name]) => known.includes(name));
  return { ...toEnv(parsed.data), given: Object.fromEntries(given) as Env['given'], searchPath: variables.PATH ?? '' };
}

/**
 * The settings of an environment, completed by stored values for variables that it does not set.
 * @throws EnvRefused
 */
export function completeEnv({ given, searchPath }: Env, stored: Readonly<Record<string, string>>): Env {
  return { ...readEnv({ ...stored, ...given, PATH: searchPath }), given };
}

/**
 * Reads the environment of this process, completed by a `.env` in the working folder if there is
 * one.
 * @param warn is called for each variable in `.env` that is unknown
 * @throws EnvRefused
 */
export function readProcessEnv(warn: (sentence: string) => void = () => {}): Env {
  if (existsSync('.env')) {
    const { problems, warnings } = checkEnvFile(readEnvFile());
    if (problems.length > 0) throw new EnvRefused(problems);
    for (const warning of warnings) warn(warning);
    process.loadEnvFile('.env');
  }
  return readEnv(process.env);
}

/** Another user may own it, and engines of containers make a folder of a file that they miss. */
function readEnvFile(): string {
  try {
    return readFileSync('.env', 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new EnvRefused([`.env cannot be read${why}: it has to be a file that this user may read`]);
  }
}

function withoutBlanks(variables: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim() !== ''));
}

function toEnv(variables: Variables): Omit<Env, 'given' | 'searchPath'> {
  const { ANALYTICS_MEASUREMENT_ID: measurementId, ANALYTICS_ENDPOINT: endpoint } = variables;
  const { STORAGE_URL: url, STORAGE_SECRET: secret } = variables;
  return {
    host: variables.HOST,
    port: variables.PORT,
    dataFolder: resolve(variables.DATA_DIR),
    databaseUrl: variables.DATABASE_URL,
    databasePool: variables.DATABASE_POOL,
    databaseReadUrl: variables.DATABASE_READ_URL,
    refusesOverload: variables.OVERLOAD === 'refuse',
    backupFolder: variables.BACKUP_DIR === undefined ? undefined : resolve(variables.BACKUP_DIR),
    backupHour: variables.BACKUP_HOUR,
    libraryFolders: [...new Set(splitFolders(variables.LIBRARY_DIRS))],
    libraryStores: readLibraries(variables),
    libraryScanMinutes: variables.LIBRARY_SCAN_MINUTES,
    role: variables.ROLE,
    jobPlaces: readJobPlaces(variables.JOB_PLACES ?? '') ?? {},
    drainMs: (variables.DRAIN_SECONDS ?? (variables.DATABASE_URL === undefined ? 0 : usualDrainSeconds)) * 1000,
    servesFolders: variables.LIBRARY === 'all',
    browseRoots: readBrowseRoots(variables.BROWSE_ROOTS),
    logLevel: variables.LOG_LEVEL,
    isProduction: variables.NODE_ENV === 'production',
    trustedProxies: readProxies(variables.TRUST_PROXY),
    tls: toTls(variables),
    ffmpegPath: variables.FFMPEG_PATH === undefined ? undefined : resolve(variables.FFMPEG_PATH),
    analytics: measurementId !== undefined && endpoint !== undefined ? { measurementId, endpoint } : null,
    publicOrigin: variables.PUBLIC_URL === undefined ? undefined : new URL(variables.PUBLIC_URL).origin,
    allowedHosts: splitNames(variables.ALLOWED_HOSTS),
    sitePassword: variables.SITE_PASSWORD,
    requestAccess:
      variables.REQUEST_ACCESS_PLATFORM === undefined
        ? null
        : { platform: variables.REQUEST_ACCESS_PLATFORM, url: variables.REQUEST_ACCESS_URL ?? null },
    isRegistrationOpen: variables.REGISTRATION === 'open',
    invitationPlan: variables.INVITATION_PLAN,
    agreementVersion: variables.AGREEMENT_VERSION,
    billing: variables.BILLING,
    uploads: variables.UPLOADS,
    uploadQuotaBytes:
      variables.UPLOAD_QUOTA_GB === undefined ? undefined : Math.round(variables.UPLOAD_QUOTA_GB * bytesPerGigabyte),
    uploadReserveBytes:
      variables.UPLOAD_RESERVE_GB === undefined
        ? undefined
        : Math.round(variables.UPLOAD_RESERVE_GB * bytesPerGigabyte),
    uploadChunkMb: variables.UPLOAD_CHUNK_MB,
    derivedBytes: variables.DERIVED_GB === undefined ? undefined : Math.round(variables.DERIVED_GB * bytesPerGigabyte),
    store: url === undefined || secret === undefined ? null : { url, secret },
    delivery: toDelivery(variables),
    cacheBytes: variables.CACHE_GB === undefined ? undefined : Math.round(variables.CACHE_GB * bytesPerGigabyte),
    metricsToken: variables.METRICS_TOKEN,
    updateCheckUrl: variables.UPDATE_CHECK_URL,
    switchIntervalSeconds: variables.SWITCH_INTERVAL_SECONDS,
    tagEditing: variables.TAG_EDITING,
    remembersWatched: variables.WATCHED === 'on',
    providers: toProviders(variables),
  };
}

function toDelivery({ DELIVERY, DELIVERY_SIGNING: signing, DELIVERY_KEY: key }: Variables): DeliveryChoice {
  if (DELIVERY === 'server' || DELIVERY === 'store') return { kind: DELIVERY };
  if (signing === undefined || key === undefined) return { kind: 'server' };
  return { kind: 'network', origin: new URL(DELIVERY).origin, signing, key };
}

function toProviders(variables: Variables): Env['providers'] {
  const clientOf = (name: (typeof providerNames)[number]): ProviderClient | null => {
    const { [`${name}_CLIENT_ID` as const]: clientId, [`${name}_CLIENT_SECRET` as const]: clientSecret } = variables;
    return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret };
  };
  const [oidc, issuer] = [clientOf('OIDC'), variables.OIDC_ISSUER];
  return {
    google: clientOf('GOOGLE'),
    github: clientOf('GITHUB'),
    discord: clientOf('DISCORD'),
    oidc: oidc === null || issuer === undefined ? null : { ...oidc, issuer, displayName: variables.OIDC_NAME },
  };
}

function toTls({
  TLS,
  TLS_NAMES,
  TLS_CERT_FILE: certFile,
  TLS_KEY_FILE: keyFile,
  PORT,
  HTTP_PORT,
}: Variables): TlsChoice {
  if (TLS === 'local')
    return {
      kind: 'local',
      names: splitNames(TLS_NAMES),
      pagePort: HTTP_PORT ?? (PORT === 0 ? 0 : PORT + pagePortDistance),
    };
  if (certFile === undefined || keyFile === undefined) return { kind: 'off' };
  return { kind: 'files', certFile: resolve(certFile), keyFile: resolve(keyFile) };
}

/**
 * The findings of a check of `.env`. Each sentence names its line; none repeats a value, which may
 * be a password.
 */
interface EnvFileFindings {
  /** Lines that the server would read differently from how they are written, or not at all. */
  problems: string[];
  /** Variables that Fourfold does not know. */
  warnings: string[];
}

const known = Object.keys(envSchema.shape);

/**
 * Compares what is written in a `.env` with what Node reads from it. Without quotes, Node drops
 * blanks at both ends and everything after a `#`, so that a password would be cut short.
 */
export function checkEnvFile(text: string): EnvFileFindings {
  const findings: EnvFileFindings = { problems: [], warnings: [] };
  if (text.startsWith('\uFEFF'))
    findings.problems.push('.env line 1 begins with a byte order mark: save the file as UTF-8 without one');
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries())
    checkLine(findings, `.env line ${index + 1}`, line);
  return findings;
}

function checkLine(findings: EnvFileFindings, place: string, line: string): void {
  if (line.trim() === '' || line.trimStart().startsWith('#')) return;
  const [, name, value] = /^\s*(?:export\s+)?([^\s=]+)\s*=(.*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    findings.problems.push(`${place} is neither a comment nor NAME=value`);
    return;
  }
  if (!isReadAsWritten(name, value))
    findings.problems.push(
      `${place}: ${name} would not be read as it is written; put its value into 'single quotes', and a comment on a line of its own`,
    );
  if (known.includes(name)) return;
  const meant = known.find((one) => isMisspelt(name.toUpperCase(), one));
  if (meant === undefined) findings.warnings.push(`${place}: ${name} is no setting of Fourfold`);
  else findings.problems.push(`${place}: ${name} is no setting of Fourfold; is it ${meant}?`);
}

function isReadAsWritten(name: string, value: string): boolean {
  const [quote = ''] = value;
  const isQuoted = ['"', "'", '`'].includes(quote);
  if (isQuoted && (value.length < 2 || !value.endsWith(quote))) return false;
  return parseEnv(`${name}=${value}`)[name] === (isQuoted ? value.slice(1, -1) : value);
}

/** Names up to this length count as misspelt by one letter only: `TZ` is not meant as `TLS`. */
const shortName = 4;

function isMisspelt(name: string, known: string): boolean {
  return countEdits(name, known) <= (known.length <= shortName ? 1 : 2);
}

/**
 * The optimal string alignment distance: the number of letters inserted, deleted, replaced, or
 * exchanged with their neighbour.
 */
function countEdits(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const at = (up: number, left: number) => rows[i - up]?.[j - left] ?? 0;
      const changed = at(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(at(1, 0) + 1, (row[j - 1] ?? 0) + 1, changed, isExchanged ? at(2, 2) + 1 : changed));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
