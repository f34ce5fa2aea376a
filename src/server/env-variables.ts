import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { tagEditingPolicies } from '#contract/rules/tag.ts';
import { invitedTiers } from '#contract/rules/tiers.ts';
import { uploadPolicies } from '#contract/rules/upload-file.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** A whole number between two that are allowed themselves; `of` names what it counts. */
function wholeSchema(least: number, most: number, of = '') {
  const outside = `has to be between ${least} and ${most}`;
  const number = z.coerce.number(`has to be a number${of}`).int(`has to be a whole number${of}`);
  return number.min(least, outside).max(most, outside);
}

const portSchema = wholeSchema(0, 65_535);

const databaseUrlSchema = z
  .string()
  .refine((url) => /^postgres(ql)?:\/\/./.test(url), 'has to start with postgres:// (leave it unset to use SQLite)');

/** One connection for the library's thread, and another for everything else. */
const poolSchema = wholeSchema(2, 1_000);

const { switchIntervalSeconds, switchIntervalMinSeconds, switchIntervalMaxSeconds } = limits;
const intervalSchema = wholeSchema(switchIntervalMinSeconds, switchIntervalMaxSeconds, ' of seconds');

const openSchema = z.enum(['open', 'closed'], { error: "has to be 'open' or 'closed'" });

/** The proxies that `TRUST_PROXY=on` trusts: those on this machine. */
const loopbackRanges = ['127.0.0.0/8', '::1'];
const proxiesSchema = z
  .string()
  .refine(
    (proxies) => readProxies(proxies).every(isRange),
    "has to be 'on', 'off', or addresses (10.0.0.2, 172.16.0.0/12) with commas between them",
  );

/** The syntax of names that DNS and certificates can carry. */
export const nameShape = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const namesSchema = z
  .string()
  .refine(
    (names) => splitNames(names).every((name) => isIP(name) !== 0 || nameShape.test(name)),
    'has to be names or addresses with commas between them',
  );

/** The token syntax that an `Authorization` header can carry unencoded (RFC 6750 section 2.1). */
const metricsTokenSchema = z
  .string()
  .regex(/^[\w.~+/=-]{16,}$/, 'has to have at least 16 characters, of letters, digits and -._~+/= alone');

const webUrl = z.url({ protocol: /^https?$/, error: 'has to be an http or https address', abort: true });

/** Every variable that the product reads. A test keeps `.env.example` in step with this list. */
export const envSchema = z.object({
  HOST: z.string().default('0.0.0.0'),
  PORT: portSchema.default(4400),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: databaseUrlSchema.optional(),
  DATABASE_POOL: poolSchema.default(10),
  DATABASE_READ_URL: databaseUrlSchema.optional(),
  OVERLOAD: z.enum(['refuse', 'endure'], { error: "has to be 'refuse' or 'endure'" }).default('refuse'),
  BACKUP_DIR: z.string().optional(),
  BACKUP_HOUR: z.coerce
    .number('has to be an hour')
    .int('has to be a whole hour')
    .min(0, 'has to be between 0 and 23')
    .max(23, 'has to be between 0 and 23')
    .default(4),
  ROLE: z.enum(['all', 'web', 'jobs'], { error: "has to be 'all', 'web' or 'jobs'" }).default('all'),
  JOB_PLACES: z
    .string()
    .refine((places) => readJobPlaces(places) !== null, "has to be such as 'media:2,encode:1,light:2'")
    .optional(),
  DRAIN_SECONDS: z.coerce
    .number('has to be a number of seconds')
    .min(0, 'has to be between 0 and 60')
    .max(60, 'has to be between 0 and 60')
    .optional(),
  LIBRARY: z.enum(['all', 'none'], { error: "has to be 'all' or 'none'" }).default('all'),
  LIBRARY_DIRS: z.string().default(''),
  LIBRARY_URLS: z
    .string()
    .refine(
      (urls) => splitUrls(urls).every((url) => /^s3:\/\/./.test(url)),
      'has to be addresses that start with s3://, with blanks between them',
    )
    .optional(),
  LIBRARY_SECRET: z.string().optional(),
  LIBRARY_SCAN_MINUTES: wholeSchema(1, 1_440, ' of minutes').default(15),
  BROWSE_ROOTS: z.string().optional(),
  LOG_LEVEL: z.enum(logLevels, { error: `has to be one of ${logLevels.join(', ')}` }).optional(),
  TRUST_PROXY: proxiesSchema.default('off'),
  TLS: z.enum(['off', 'local'], { error: "has to be 'off' or 'local'" }).default('off'),
  TLS_NAMES: namesSchema.default(''),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  HTTP_PORT: portSchema.optional(),
  FFMPEG_PATH: z.string().optional(),
  PUBLIC_URL: webUrl.refine(isOrigin, 'has to be without a path, as in https://videos.example.org').optional(),
  ALLOWED_HOSTS: namesSchema.default(''),
  SITE_PASSWORD: z.string().optional(),
  REQUEST_ACCESS_PLATFORM: z.string().optional(),
  REQUEST_ACCESS_URL: webUrl.optional(),
  REGISTRATION: openSchema.default('open'),
  INVITATION_PLAN: z.enum(invitedTiers, { error: `has to be one of ${invitedTiers.join(', ')}` }).default('basic'),
  BILLING: openSchema.default('open'),
  UPLOADS: z.enum(uploadPolicies, { error: "has to be 'everyone', 'approval' or 'admins'" }).default('everyone'),
  UPLOAD_QUOTA_GB: z.coerce
    .number('has to be a number of gigabytes')
    .positive('has to be more than 0')
    .max(1_000_000, 'has to be at most 1000000')
    .optional(),
  UPLOAD_RESERVE_GB: z.coerce
    .number('has to be a number of gigabytes')
    .min(0.1, 'has to be at least 0.1')
    .max(1_000_000, 'has to be at most 1000000')
    .optional(),
  UPLOAD_CHUNK_MB: z.coerce
    .number('has to be a number of MiB')
    .int('has to be a whole number of MiB')
    .min(1, 'has to be at least 1')
    .max(5120, 'has to be at most 5120')
    .optional(),
  DERIVED_GB: z.coerce
    .number('has to be a number of gigabytes')
    .refine(
      (gigabytes) => gigabytes === 0 || (gigabytes >= 0.1 && gigabytes <= 10_000),
      'has to be 0, or between 0.1 and 10000',
    )
    .optional(),
  STORAGE_URL: z
    .string()
    .regex(/^(s3|bunny):\/\/./, 'has to start with s3:// or bunny:// (leave it unset to keep files in DATA_DIR)')
    .optional(),
  STORAGE_SECRET: z.string().optional(),
  DELIVERY: z
    .string()
    .refine(
      (delivery) => ['server', 'store'].includes(delivery) || isOrigin(delivery),
      "has to be 'server', 'store' or an address without a path, such as https://media.example.org",
    )
    .default('server'),
  DELIVERY_KEY: z.string().optional(),
  DELIVERY_SIGNING: z.enum(['bunny', 'nginx'], { error: "has to be 'bunny' or 'nginx'" }).optional(),
  CACHE_GB: z.coerce
    .number('has to be a number of gigabytes')
    .min(0.1, 'has to be at least 0.1')
    .max(10_000, 'has to be at most 10000')
    .optional(),
  SWITCH_INTERVAL_SECONDS: intervalSchema.default(switchIntervalSeconds),
  TAG_EDITING: z.enum(tagEditingPolicies, { error: "has to be 'everyone' or 'admins'" }).default('everyone'),
  AGREEMENT_VERSION: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6}){0,2}$/, 'has to be a version such as 1.0 or 2')
    .default(limits.eulaVersion),
  WATCHED: z.enum(['on', 'off'], { error: "has to be 'on' or 'off'" }).default('on'),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GITHUB_CLIENT_ID: z.string().optional(),
  GITHUB_CLIENT_SECRET: z.string().optional(),
  DISCORD_CLIENT_ID: z.string().optional(),
  DISCORD_CLIENT_SECRET: z.string().optional(),
  OIDC_ISSUER: webUrl.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().default('Single sign-on'),
  ANALYTICS_MEASUREMENT_ID: z.string().optional(),
  ANALYTICS_ENDPOINT: webUrl.optional(),
  METRICS_TOKEN: metricsTokenSchema.optional(),
  UPDATE_CHECK_URL: webUrl.optional(),
  NODE_ENV: z.string().optional(),
});

export type Variables = z.infer<typeof envSchema>;

/** Prefixes of the sign-in providers' variables: each provider has an id and a secret. */
export const providerNames = ['GOOGLE', 'GITHUB', 'DISCORD', 'OIDC'] as const;

/** Distance from `PORT` to the default port of the certificate page: 4480 for 4400. */
export const pagePortDistance = 80;

/** Splits a comma-separated list of names; lower case. */
export function splitNames(names: string): string[] {
  return names
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

/** Splits addresses with blanks between them. */
function splitUrls(urls: string | undefined): string[] {
  return [...new Set((urls ?? '').split(/\s+/).filter((url) => url !== ''))];
}

/** Reads `LIBRARY_URLS`, whose libraries share one secret. */
export function readLibraries({
  LIBRARY_URLS: urls,
  LIBRARY_SECRET: secret = '',
}: Pick<Variables, 'LIBRARY_URLS' | 'LIBRARY_SECRET'>): { url: string; secret: string }[] {
  return splitUrls(urls).map((url) => ({ url, secret }));
}

export type JobPlaces = Partial<Record<'media' | 'encode' | 'between' | 'light', number>>;

/** Reads `JOB_PLACES`: how many jobs of each lane run at a time; null for any other text. */
export function readJobPlaces(text: string): JobPlaces | null {
  const parts = splitNames(text).map((part) => /^(media|encode|between|light):(\d{1,2})$/.exec(part));
  if (parts.includes(null)) return null;
  return Object.fromEntries(parts.map((part) => [part?.[1], Number(part?.[2])]));
}

/** Splits a colon-separated list of folders; absolute paths. */
export function splitFolders(folders: string): string[] {
  return folders
    .split(':')
    .filter((folder) => folder.trim() !== '')
    .map((folder) => resolve(folder));
}

/** Reads `BROWSE_ROOTS`: absolute paths, none for `off`. */
export function readBrowseRoots(roots: string | undefined): string[] | undefined {
  if (roots === undefined) return undefined;
  return roots.trim() === 'off' ? [] : [...new Set(splitFolders(roots))];
}

/** Reads `TRUST_PROXY`: addresses and networks of the trusted proxies. */
export function readProxies(proxies: string): string[] {
  const given = splitNames(proxies);
  if (given.length === 1 && given[0] === 'off') return [];
  return given.length === 1 && given[0] === 'on' ? loopbackRanges : given;
}

/** Whether a text is an http or https address without path, query or user. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

/** Whether a text is an address or a network: `192.0.2.7`, `10.0.0.0/8`, `fc00::/7`. */
function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
