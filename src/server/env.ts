import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const portSchema = z.coerce
  .number('has to be a number')
  .int('has to be a whole number')
  .min(0, 'has to be between 0 and 65535')
  .max(65_535, 'has to be between 0 and 65535');

const databaseUrlSchema = z.string().refine((url) => /^postgres(ql)?:\/\/./.test(url), 'has to start with postgres:// (leave it unset to use SQLite)');

const switchSchema = z.enum(['on', 'off'], { error: "has to be 'on' or 'off'" });

const openSchema = z.enum(['open', 'closed'], { error: "has to be 'open' or 'closed'" });

/** Names that DNS and certificates can carry. */
export const nameShape = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const namesSchema = z
  .string()
  .refine((names) => splitNames(names).every((name) => isIP(name) !== 0 || nameShape.test(name)), 'has to be names or addresses with commas between them');

/** Every variable the product reads. `.env.example` names each one, and a test keeps both in step. */
export const envSchema = z.object({
  HOST: z.string().default('0.0.0.0'),
  PORT: portSchema.default(4400),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: databaseUrlSchema.optional(),
  LIBRARY_DIRS: z.string().default(''),
  LOG_LEVEL: z.enum(logLevels, { error: `has to be one of ${logLevels.join(', ')}` }).optional(),
  TRUST_PROXY: switchSchema.default('off'),
  TLS: z.enum(['off', 'local'], { error: "has to be 'off' or 'local'" }).default('off'),
  TLS_NAMES: namesSchema.default(''),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  HTTP_PORT: portSchema.optional(),
  FFMPEG_PATH: z.string().optional(),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'has to be an http or https address' }).optional(),
  ALLOWED_HOSTS: namesSchema.default(''),
  SITE_PASSWORD: z.string().optional(),
  REQUEST_ACCESS_PLATFORM: z.string().optional(),
  REQUEST_ACCESS_URL: z.url({ protocol: /^https?$/, error: 'has to be an http or https address' }).optional(),
  REGISTRATION: openSchema.default('open'),
  BILLING: openSchema.default('open'),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GITHUB_CLIENT_ID: z.string().optional(),
  GITHUB_CLIENT_SECRET: z.string().optional(),
  DISCORD_CLIENT_ID: z.string().optional(),
  DISCORD_CLIENT_SECRET: z.string().optional(),
  OIDC_ISSUER: z.url({ protocol: /^https?$/, error: 'has to be an http or https address' }).optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().default('Single sign-on'),
  ANALYTICS_MEASUREMENT_ID: z.string().optional(),
  ANALYTICS_ENDPOINT: z.url({ protocol: /^https?$/, error: 'has to be an http or https address' }).optional(),
  NODE_ENV: z.string().optional(),
});

export type LogLevel = (typeof logLevels)[number];

/** How the server is reached over TLS: not at all, with the operator's certificate, or with one of a local authority, which `pagePort` hands out over http. */
export type TlsChoice = { kind: 'off' } | { kind: 'files'; certFile: string; keyFile: string } | { kind: 'local'; names: string[]; pagePort: number };

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
  /** Empty: nothing was configured. */
  libraryFolders: string[];
  logLevel: LogLevel | undefined;
  isProduction: boolean;
  trustProxy: boolean;
  tls: TlsChoice;
  /** Absolute. Absent: one is looked for. */
  ffmpegPath: string | undefined;
  /** The system's own PATH, in which programs are looked for. */
  searchPath: string;
  analytics: { measurementId: string; endpoint: string } | null;
  /** The origin by which browsers reach the site; absent: whatever they came by. */
  publicOrigin: string | undefined;
  /** The only host names that are answered to, lower case; empty: any. */
  allowedHosts: string[];
  /** Absent: the site is open. */
  sitePassword: string | undefined;
  /** Where visitors of a closed site ask for the password. */
  requestAccess: { platform: string; url: string | null } | null;
  isRegistrationOpen: boolean;
  billing: 'open' | 'closed';
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

/** @throws EnvRefused */
export function readEnv(variables: Record<string, string | undefined>): Env {
  const parsed = envSchema.safeParse(withoutBlanks(variables));
  const problems = parsed.success ? checkTogether(parsed.data) : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (!parsed.success || problems.length > 0) throw new EnvRefused(problems);
  return { ...toEnv(parsed.data), searchPath: variables.PATH ?? '' };
}

/** The environment of this process, completed from a `.env` in the working folder where there is one. */
export function readProcessEnv(): Env {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readEnv(process.env);
}

type Variables = z.infer<typeof envSchema>;

function withoutBlanks(variables: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim() !== ''));
}

function checkTogether(variables: Variables): string[] {
  const hasId = variables.ANALYTICS_MEASUREMENT_ID !== undefined;
  const hasEndpoint = variables.ANALYTICS_ENDPOINT !== undefined;
  const analytics = hasId === hasEndpoint ? [] : ['ANALYTICS_MEASUREMENT_ID and ANALYTICS_ENDPOINT have to be set together'];
  return [...analytics, ...checkTls(variables), ...checkProviders(variables)];
}

const providerNames = ['GOOGLE', 'GITHUB', 'DISCORD', 'OIDC'] as const;

function checkProviders(variables: Variables): string[] {
  const problems = providerNames
    .filter((name) => (variables[`${name}_CLIENT_ID`] === undefined) !== (variables[`${name}_CLIENT_SECRET`] === undefined))
    .map((name) => `${name}_CLIENT_ID and ${name}_CLIENT_SECRET have to be set together`);
  if ((variables.OIDC_ISSUER === undefined) !== (variables.OIDC_CLIENT_ID === undefined))
    problems.push('OIDC_ISSUER and OIDC_CLIENT_ID have to be set together');
  const hasProvider = providerNames.some((name) => variables[`${name}_CLIENT_ID`] !== undefined);
  if (hasProvider && variables.PUBLIC_URL === undefined) problems.push('PUBLIC_URL has to be set for providers to send people back to');
  if (variables.OIDC_ISSUER?.startsWith('http://') === true && !isOnThisMachine(variables.OIDC_ISSUER)) problems.push('OIDC_ISSUER has to be an https address');
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
  if (TLS === 'local' && (hasCert || hasKey)) problems.push('TLS=local makes its own certificate: leave TLS_CERT_FILE and TLS_KEY_FILE unset');
  if (TLS === 'off' && TLS_NAMES !== '') problems.push('TLS_NAMES goes with TLS=local');
  if (TLS === 'off' && HTTP_PORT !== undefined) problems.push('HTTP_PORT goes with TLS=local');
  if (TLS === 'local') problems.push(...checkPagePort(PORT, HTTP_PORT));
  return problems;
}

function checkPagePort(port: number, pagePort: number | undefined): string[] {
  if (pagePort === undefined && port + pagePortDistance > 65_535) return [`HTTP_PORT has to be set, as PORT + ${pagePortDistance} is no port`];
  return pagePort === port && port !== 0 ? ['HTTP_PORT has to differ from PORT'] : [];
}

function toEnv(variables: Variables): Omit<Env, 'searchPath'> {
  const { ANALYTICS_MEASUREMENT_ID: measurementId, ANALYTICS_ENDPOINT: endpoint } = variables;
  return {
    host: variables.HOST,
    port: variables.PORT,
    dataFolder: resolve(variables.DATA_DIR),
    databaseUrl: variables.DATABASE_URL,
    libraryFolders: [...new Set(splitFolders(variables.LIBRARY_DIRS))],
    logLevel: variables.LOG_LEVEL,
    isProduction: variables.NODE_ENV === 'production',
    trustProxy: variables.TRUST_PROXY === 'on',
    tls: toTls(variables),
    ffmpegPath: variables.FFMPEG_PATH === undefined ? undefined : resolve(variables.FFMPEG_PATH),
    analytics: measurementId !== undefined && endpoint !== undefined ? { measurementId, endpoint } : null,
    publicOrigin: variables.PUBLIC_URL === undefined ? undefined : new URL(variables.PUBLIC_URL).origin,
    allowedHosts: splitNames(variables.ALLOWED_HOSTS),
    sitePassword: variables.SITE_PASSWORD,
    requestAccess:
      variables.REQUEST_ACCESS_PLATFORM === undefined ? null : { platform: variables.REQUEST_ACCESS_PLATFORM, url: variables.REQUEST_ACCESS_URL ?? null },
    isRegistrationOpen: variables.REGISTRATION === 'open',
    billing: variables.BILLING,
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

/** 4480 beside 4400. */
const pagePortDistance = 80;

function toTls({ TLS, TLS_NAMES, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, PORT, HTTP_PORT }: Variables): TlsChoice {
  if (TLS === 'local') return { kind: 'local', names: splitNames(TLS_NAMES), pagePort: HTTP_PORT ?? (PORT === 0 ? 0 : PORT + pagePortDistance) };
  if (certFile === undefined || keyFile === undefined) return { kind: 'off' };
  return { kind: 'files', certFile: resolve(certFile), keyFile: resolve(keyFile) };
}

function splitNames(names: string): string[] {
  return names
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

function splitFolders(folders: string): string[] {
  return folders
    .split(':')
    .filter((folder) => folder.trim() !== '')
    .map((folder) => resolve(folder));
}
