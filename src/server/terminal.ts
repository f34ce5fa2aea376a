import { describeRight } from './backup/describe-failure.ts';
import { isRightMissing } from './database/dialect.ts';
import type { Env } from './env.ts';
import type { ServedRoot } from './features/library/root-repository.ts';
import type { ScanOutcome } from './features/library/scan/library-scan.ts';
import type { ListenAddresses } from './http/local-names.ts';
import { isLoopbackHost } from './http/local-names.ts';
import { qrLines } from './tls/certificate-site.ts';

export const runsAsRoot =
  "  It runs as root, which it never needs: give it a user of its own (README, 'Running it for good').";

/** Texts for the operator's terminal. */
export const terminalText = {
  library(roots: readonly ServedRoot[], startMs: number): string {
    const started = `  Started in ${formatSeconds(startMs)}.`;
    if (roots.length === 0) return `\n  The library is empty.\n${started}`;
    const folders = roots.filter((root) => root.kind !== 'uploads');
    const isDemo = folders.length > 0 && folders.every((root) => root.kind === 'demo');
    const served = isDemo
      ? 'the demo clips. Set LIBRARY_DIRS to a folder of your own videos.'
      : folders.map((root) => root.folder).join(', ') || 'what people have uploaded.';
    return `\n  Library: ${served}\n${started}`;
  },

  /** Says who can see the site, and who can create an account. */
  access({
    host,
    sitePassword,
    isRegistrationOpen,
  }: Pick<Env, 'host' | 'sitePassword' | 'isRegistrationOpen'>): string {
    const reached = isLoopbackHost(host) ? 'everybody on this machine, and nobody else' : 'everybody who can reach it';
    const who =
      sitePassword === undefined
        ? `The site is open to ${reached}`
        : `The site is closed: it asks ${reached} for its password (SITE_PASSWORD)`;
    const accounts = isRegistrationOpen
      ? 'whoever is in can make an account.'
      : 'nobody can make an account without an invitation (REGISTRATION=closed).';
    return `\n  ${who}; ${accounts}`;
  },

  /** @param address the site's address, for the reader to open */
  firstAccount(code: string, address: string): string {
    return [
      "\n  Nobody has an account yet. The first one is the administrator's; it is made with the set-up code",
      `  ${code}, which is good for a day: ${address}/?setup=${code}`,
    ].join('\n');
  },

  scan({ found, playable, missingFolders, durationMs }: Omit<ScanOutcome, 'unread' | 'moved'>): string {
    const looked = `  Looked through the library in ${formatSeconds(durationMs)}: ${countVideos(found)}, ${playable} of them playable.`;
    return [
      looked,
      ...missingFolders.map((place) =>
        place.startsWith('/')
          ? `  The folder ${place} is not there; it is looked for again every half minute.`
          : `  The library at ${place} is away; it is listed again, each time later.`,
      ),
    ].join('\n');
  },

  startFailure(error: unknown): string {
    if (!(error instanceof Error)) return '  Fourfold could not start.';
    const code = 'code' in error ? String(error.code) : '';
    if (code === 'EADDRINUSE')
      return '  Fourfold could not start: the port is already in use. Stop the other program, or choose another port with PORT.';
    if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen')
      return '  Fourfold could not start: this user may not use that port. Choose one above 1023 with PORT.';
    const problem = noHost.test(code) ? noSuchHost : folderProblem(code);
    if (problem !== null) return `  Fourfold could not start: ${problem}`;
    if (isRightMissing(error)) return `  Fourfold could not start. ${describeRight(error)}`;
    if (code.startsWith('SQLITE_'))
      return `  Fourfold could not start: its database cannot be used (${error.message}). Restore a backup, or move the file away to begin anew.`;
    return `  Fourfold could not start: ${error.message || code}`;
  },

  harm(refused: Error): string {
    return `\n  Fourfold stops: ${refused.message}\n`;
  },

  addresses({ own, others }: ListenAddresses): string {
    const lines = [
      ...own.map((address) => `  On this machine      ${address}`),
      ...others.map((address) => `  On a phone or a TV   ${address}`),
    ];
    return ['', '  Fourfold is running.', '', ...lines].join('\n');
  },

  /** @param page the page where devices download the authority's certificate */
  authority(page: string, fingerprint: string): string {
    const parts = fingerprint.split(':');
    const half = parts.length / 2;
    const isForOthers = !isLoopbackHost(new URL(page).hostname);
    return [
      '',
      `  ${isForOthers ? 'Other devices' : 'Browsers on this machine'} trust the https addresses after they have installed this`,
      `  server's certificate, once each:  ${page}`,
      `  SHA-256  ${parts.slice(0, half).join(':')}`,
      `           ${parts.slice(half).join(':')}`,
    ].join('\n');
  },

  qrCode(address: string): string {
    return ['', ...qrLines(address).map((line) => `  ${line}`), `  ${address}`].join('\n');
  },
};

const noHost = /^(EADDRNOTAVAIL|EAFNOSUPPORT|ENOTFOUND|EAI_[A-Z]+)$/;
const noSuchHost = 'HOST is no address of this machine. Leave it out, or name one that it has.';

/** Null for problems that are not the data folder's. Codes: https://www.sqlite.org/rescode.html */
function folderProblem(code: string): string | null {
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL')
    return 'the disk of DATA_DIR is full. Make room on it, or choose another folder.';
  if (code === 'EROFS' || code.startsWith('SQLITE_READONLY'))
    return 'DATA_DIR can only be read. Make it writable, or choose another folder.';
  if (code === 'EACCES' || code === 'EPERM')
    return 'DATA_DIR belongs to somebody else. Give it to the user that Fourfold runs as, or choose another folder.';
  return code === 'EEXIST' || code === 'ENOTDIR' ? 'DATA_DIR is a file. Choose a folder.' : null;
}

function countVideos(count: number): string {
  return count === 1 ? '1 video' : `${count} videos`;
}

function formatSeconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
