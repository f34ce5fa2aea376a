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
  ANALYTICS_MEASUREMENT_ID: z.string().optional(),
  ANALYTICS_ENDPOINT: z.url({ protocol: /^https?$/, error: 'has to be an http or https address' }).optional(),
  NODE_ENV: z.string().optional(),
});

export type LogLevel = (typeof logLevels)[number];

/** How the server is reached over TLS: not at all, with the operator's certificate, or with one of a local authority, which `pagePort` hands out over http. */
export type TlsChoice = { kind: 'off' } | { kind: 'files'; certFile: string; keyFile: string } | { kind: 'local'; names: string[]; pagePort: number };

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
  return [...analytics, ...checkTls(variables)];
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
