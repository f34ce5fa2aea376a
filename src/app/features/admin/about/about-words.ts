import type { About } from '#contract/entities/site.ts';

export const databaseNames: Record<About['database']['kind'], string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

export const storageNames: Record<About['storage']['kind'], string> = {
  disk: 'A folder on this machine',
  s3: 'S3',
  bunny: 'Bunny',
};

export const sandboxNames: Record<NonNullable<About['sandbox']>, string> = {
  landlock: 'Landlock',
  bubblewrap: 'Bubblewrap',
};

/** The first address that another device can open; null when there is none. */
export function phoneAddress(addresses: readonly string[]): string | null {
  return addresses.find((address) => !isLocal(address)) ?? null;
}

/** Of this machine alone. */
function isLocal(address: string): boolean {
  return /^\w+:\/\/(localhost|127\.|\[::1\])/.test(address);
}
