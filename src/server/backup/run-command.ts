import { readFileSync } from 'node:fs';
import type { Database } from '../database/connection.ts';
import { databaseAddress, mayHoldSite } from '../database/database-address.ts';
import type { Env } from '../env.ts';
import { EnvRefused, readProcessEnv } from '../env.ts';
import { onStopSignal } from '../nodes/own-process.ts';
import type { CheckedArchive } from './archive-reader.ts';
import { formatCount } from './disk.ts';
import type { BackupOutcome } from './write-backup.ts';

interface CommandContext {
  env: Env;
  /** Version of the product. */
  version: string;
  /** Aborts when a person stops the command, which then ends and cleans up after itself. */
  signal: AbortSignal;
}

interface Command<Options> {
  usage: string;
  /** Null for arguments that the command does not understand. May throw for them, too. */
  parse(args: string[]): Options | null;
  run(options: Options, context: CommandContext): Promise<void>;
  /** Describes a failure in a sentence. */
  describe(error: unknown, options: Options, env: Env): Promise<string>;
  /** The start of the message after a failure: what did not happen. */
  failed: string;
}

/** Exit codes of sysexits.h. */
const exitUsage = 64;
const exitConfig = 78;

/** Runs a command in the terminal and sets the process's exit code. */
export async function runCommand<Options>(command: Command<Options>): Promise<void> {
  const options = tryToParse(command);
  const env = options === null ? null : tryToReadEnv();
  if (options === null) end(exitUsage, `  ${command.usage}`);
  else if (env !== null) await runWith(command, options, env);
}

async function runWith<Options>(command: Command<Options>, options: Options, env: Env): Promise<void> {
  const stopping = new AbortController();
  onStopSignal(() => stopping.abort());
  try {
    await command.run(options, { env, version: readVersion(), signal: stopping.signal });
  } catch (error) {
    end(1, `  ${command.failed}: ${await command.describe(error, options, env)}`);
  }
}

function tryToParse<Options>({ parse }: Command<Options>): Options | null {
  try {
    return parse(process.argv.slice(2));
  } catch {
    // The command has no such option.
    return null;
  }
}

function tryToReadEnv(): Env | null {
  try {
    return readProcessEnv((warning) => print(`  ${warning}.`));
  } catch (error) {
    if (!(error instanceof EnvRefused)) throw error;
    end(exitConfig, error.message);
    return null;
  }
}

/**
 * Works on the database of a site that exists. A command begins none: what it left behind would
 * keep a restore from the folder.
 */
export async function withSite<T>(env: Env, work: (database: Database) => Promise<T>): Promise<T> {
  const address = databaseAddress(env);
  if (!mayHoldSite(address)) throw new Error(`There is no site in ${env.dataFolder}.`);
  const { openDatabase } = await import('../database/connection.ts');
  const { backupRepository } = await import('./backup-repository.ts');
  const database = openDatabase(address);
  try {
    const migrations = await backupRepository.readMigrations(database.reader, database.dialect);
    if (migrations.length === 0) throw new Error('There is no site in this database.');
    return await work(database);
  } finally {
    await database.close();
  }
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function end(code: number, text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}

export function formatBackup(file: string, made: BackupOutcome, libraryFolders: string[]): string {
  const { bytes, rows, files } = made;
  return [
    `\n  The backup is ${file}: ${formatBytes(bytes)}, ${formatCount(rows, 'row')}, ${formatCount(files, 'file')} of DATA_DIR. It was read again, and is whole.`,
    "  Whoever holds it holds the site's keys: only its owner can read it; keep it that way, on another disk.",
    `  Not in it: .env, posters (they are made again), and the videos themselves${libraryFolders.length === 0 ? '.' : `, in ${libraryFolders.join(', ')}.`}`,
  ].join('\n');
}

export function formatRestore({ head, manifest }: CheckedArchive, { dataFolder, databaseUrl }: Env): string {
  const rows = Object.values(manifest.rows).reduce((sum, each) => sum + each, 0);
  const sessions = manifest.rows.sessions ?? 0;
  return [
    `\n  The site of ${head.created_at} is restored into ${databaseUrl === undefined ? dataFolder : `the database of DATABASE_URL and ${dataFolder}`}: ${formatCount(rows, 'row')}.`,
    `  Its keys came along: ${formatCount(sessions, 'session')} of that time ${sessions === 1 ? 'lives' : 'live'} on; whoever signed in or changed a password after it does so again.`,
    '  Devices load profile, channels and settings again with their next answer; saved links to videos go on to work.',
    "  The sets of videos are built at the first start, and posters are made again. Settings come from this machine's own .env, and from the archive where that sets none.",
  ].join('\n');
}

function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
