import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TagEditingPolicy } from '#contract/rules/tags/tag-change.ts';
import type { UploadPolicy } from '#contract/rules/upload-file.ts';
import { checkTogether } from './env-checks.ts';
import { checkEnvFile } from './env-file.ts';
import type { logLevels, providerNames, Variables } from './env-variables.ts';
import { envSchema, pagePortDistance, readProxies, splitFolders, splitNames } from './env-variables.ts';

export type LogLevel = (typeof logLevels)[number];

/**
 * How the server is reached over TLS: not at all, with the operator's certificate, or with one of a local authority,
 * which `pagePort` hands out over http.
 */
type TlsChoice =
  | { kind: 'off' }
  | { kind: 'files'; certFile: string; keyFile: string }
  | { kind: 'local'; names: string[]; pagePort: number };

/** What a third party knows this site by. */
export interface ProviderClient {
  clientId: string;
  clientSecret: string;
}

export interface Env {
  host: string;
  port: number;
  /** Absolute, as are the library folders. */
  dataFolder: string;
  /** Absent: SQLite in the data folder. */
  databaseUrl: string | undefined;
  /** Absolute. Absent: no backup is made at night. */
  backupFolder: string | undefined;
  /** Empty: nothing was configured. */
  libraryFolders: string[];
  logLevel: LogLevel | undefined;
  isProduction: boolean;
  /** Addresses and networks whose `X-Forwarded` headers are believed; empty: nobody's. */
  trustedProxies: string[];
  tls: TlsChoice;
  /** Absolute. Absent: one is looked for. */
  ffmpegPath: string | undefined;
  /** The system's own PATH, in which programs are looked for. */
  searchPath: string;
  analytics: { measurementId: string; endpoint: string } | null;
  /** The origin by which browsers reach the site; absent: whatever they came by. */
  publicOrigin: string | undefined;
  /** The only host names that are answered to, lower case; empty: those by which a site at home is reached. */
  allowedHosts: string[];
  /** Absent: the site is open. */
  sitePassword: string | undefined;
  /** Where visitors of a closed site ask for the password. */
  requestAccess: { platform: string; url: string | null } | null;
  isRegistrationOpen: boolean;
  billing: 'open' | 'closed';
  uploads: UploadPolicy;
  /** Bytes that one person may have stored; absent: as many as there is room for. */
  uploadQuotaBytes: number | undefined;
  /** The largest body that a proxy in front lets through, in MiB. */
  uploadChunkMb: number | undefined;
  /** Bytes that encodings may take, 0 for none at all; absent: by how much of the disk is free. */
  derivedBytes: number | undefined;
  /** What a monitor shows to read the metrics; absent: nobody can. */
  metricsToken: string | undefined;
  /** Who may change tags and what they are on. */
  tagEditing: TagEditingPolicy;
  providers: {
    google: ProviderClient | null;
    github: ProviderClient | null;
    discord: ProviderClient | null;
    oidc: (ProviderClient & { issuer: string; displayName: string }) | null;
  };
}

/** Says everything that is wrong with the environment at once. */
export class EnvRefused extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** As disks are sold. */
const bytesPerGigabyte = 1e9;

/** @throws EnvRefused */
export function readEnv(variables: Record<string, string | undefined>): Env {
  // Blanks alone count as unset elsewhere: here they would leave a site open that somebody means to close.
  if (/^\s+$/.test(variables.SITE_PASSWORD ?? ''))
    throw new EnvRefused(['SITE_PASSWORD consists of blanks: set a password, or leave it out to open the site']);
  const parsed = envSchema.safeParse(withoutBlanks(variables));
  const problems = parsed.success
    ? checkTogether(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (!parsed.success || problems.length > 0) throw new EnvRefused(problems);
  return { ...toEnv(parsed.data), searchPath: variables.PATH ?? '' };
}

/**
 * The environment of this process, completed from a `.env` in the working folder where there is one.
 * @param warn hears of names in it that mean nothing here
 * @throws EnvRefused
 */
export function readProcessEnv(warn: (sentence: string) => void = () => {}): Env {
  if (existsSync('.env')) {
    const { problems, warnings } = checkEnvFile(readFileSync('.env', 'utf8'));
    if (problems.length > 0) throw new EnvRefused(problems);
    for (const warning of warnings) warn(warning);
    process.loadEnvFile('.env');
  }
  return readEnv(process.env);
}

function withoutBlanks(variables: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim() !== ''));
}

function toEnv(variables: Variables): Omit<Env, 'searchPath'> {
  const { ANALYTICS_MEASUREMENT_ID: measurementId, ANALYTICS_ENDPOINT: endpoint } = variables;
  return {
    host: variables.HOST,
    port: variables.PORT,
    dataFolder: resolve(variables.DATA_DIR),
    databaseUrl: variables.DATABASE_URL,
    backupFolder: variables.BACKUP_DIR === undefined ? undefined : resolve(variables.BACKUP_DIR),
    libraryFolders: [...new Set(splitFolders(variables.LIBRARY_DIRS))],
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
    billing: variables.BILLING,
    uploads: variables.UPLOADS,
    uploadQuotaBytes:
      variables.UPLOAD_QUOTA_GB === undefined ? undefined : Math.round(variables.UPLOAD_QUOTA_GB * bytesPerGigabyte),
    uploadChunkMb: variables.UPLOAD_CHUNK_MB,
    derivedBytes: variables.DERIVED_GB === undefined ? undefined : Math.round(variables.DERIVED_GB * bytesPerGigabyte),
    metricsToken: variables.METRICS_TOKEN,
    tagEditing: variables.TAG_EDITING,
    providers: toProviders(variables),
  };
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
