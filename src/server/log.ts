import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import type { Env, LogLevel } from './env.ts';

export type Log = Logger;

const secretKeys = [
  'authorization',
  'cookie',
  'set-cookie',
  'accesskey',
  'AccessKey',
  'access_token',
  'refresh_token',
  'password',
  'token',
  'metricsToken',
  'METRICS_TOKEN',
  'bunny_access_key',
];

const redaction = {
  paths: secretKeys.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]),
  censor: '[hidden]',
};

/** Writes JSON lines at `level`. Credentials in the first three levels of a line are hidden. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    redact: redaction,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/**
 * Logs JSON to stdout for machines: in production, or when a level is set. Otherwise a person
 * watches the terminal: only warnings, errors and the audit trail are printed, as plain lines on
 * stderr.
 */
export function createProcessLog(env: Pick<Env, 'isProduction' | 'logLevel'>): Log {
  if (env.isProduction || env.logLevel !== undefined) return createLog(env.logLevel ?? 'info');
  return createLog('warn', { write: (line) => process.stderr.write(toPlainLine(line)) });
}

/** A path without its query, which may carry signatures and search terms. */
export function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

function toPlainLine(line: string): string {
  const { level, msg, err } = JSON.parse(line) as {
    level: string;
    msg?: string;
    err?: { message?: string; stack?: string };
  };
  const cause = err === undefined ? [] : (err.stack ?? err.message ?? '').split('\n');
  return [`  ${level}: ${toText(msg ?? '')}`, ...cause.map((part) => `    ${toText(part)}`), ''].join('\n');
}

/** Escapes control characters: a file name must not move the cursor or turn the text direction. */
function toText(words: string): string {
  return words.replaceAll(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
