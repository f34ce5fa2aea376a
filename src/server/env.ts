import { existsSync } from 'node:fs';
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

/** Every variable the product reads. `.env.example` names each one, and a test keeps both in step. */
export const envSchema = z.object({
  HOST: z.string().default('0.0.0.0'),
  PORT: portSchema.default(4400),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: databaseUrlSchema.optional(),
  LIBRARY_DIRS: z.string().default(''),
  LOG_LEVEL: z.enum(logLevels, { error: `has to be one of ${logLevels.join(', ')}` }).optional(),
  TRUST_PROXY: switchSchema.default('off'),
  ANALYTICS_MEASUREMENT_ID: z.string().optional(),
  ANALYTICS_ENDPOINT: z.url({ protocol: /^https?$/, error: 'has to be an http or https address' }).optional(),
  NODE_ENV: z.string().optional(),
});

export type LogLevel = (typeof logLevels)[number];

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
  return toEnv(parsed.data);
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
  return hasId === hasEndpoint ? [] : ['ANALYTICS_MEASUREMENT_ID and ANALYTICS_ENDPOINT have to be set together'];
}

function toEnv(variables: Variables): Env {
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
    analytics: measurementId !== undefined && endpoint !== undefined ? { measurementId, endpoint } : null,
  };
}

function splitFolders(folders: string): string[] {
  return folders
    .split(':')
    .filter((folder) => folder.trim() !== '')
    .map((folder) => resolve(folder));
}
