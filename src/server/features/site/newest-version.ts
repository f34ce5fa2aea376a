import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { About } from '#contract/entities/site.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { siteRepository } from './site-repository.ts';

interface NewestVersionDeps {
  /** The version that runs here. */
  version: string;
  /** The address that knows the newest version; absent: nobody is asked. */
  url: string | undefined;
  clock: Clock;
  database: Database;
}

const dayMs = 24 * 3_600_000;
const patienceMs = 5_000;
const maxAnswerBytes = 256 * 1024;
const versionShape = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[\w.-]{1,64})?(?:\+[\w.-]{1,64})?$/;

/** The `version` of a package.json, or the `tag_name` of a release at GitHub or Forgejo. */
const answerSchema = z
  .object({ version: z.string().optional(), tag_name: z.string().optional() })
  .transform(({ version, tag_name }) => version ?? tag_name)
  .pipe(z.string().regex(versionShape));

const storedSchema = z.string().nullable();

/**
 * Asks the operator's address for the newest version, if there is one: when an administrator opens
 * About, and at most once a day among all servers that share a database.
 */
export class NewestVersion {
  private readonly deps: NewestVersionDeps;

  constructor(deps: NewestVersionDeps) {
    this.deps = deps;
  }

  /** Returns the content of the latest answer, or null if nobody is asked. */
  async read(): Promise<About['update']> {
    const { url, version, clock, database } = this.deps;
    if (url === undefined) return null;
    const name = `newest_version ${createHash('sha256').update(url).digest('hex').slice(0, 16)}`;
    const now = clock.now();
    // A site whose database cannot be written to asks nobody, as it could not remember that.
    const isDue = await database
      .write((transaction) => siteRepository.claim(transaction, name, { before: now - dayMs, now }))
      .catch(() => false);
    if (isDue) {
      const answer = await askForVersion(url);
      await database.write((transaction) => siteRepository.store(transaction, name, answer, now)).catch(() => {});
    }
    const stored = await siteRepository.find(database.reader, name).catch(() => null);
    const newest = storedSchema.parse(stored);
    return { newest, is_newer: newest !== null && isNewer(newest, version) };
  }
}

/** The version that an address tells, without a leading `v`; null if it tells none. */
async function askForVersion(url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
      headers: { accept: 'application/json' },
    });
    if (!answer.ok || answer.body === null) return null;
    const told = answerSchema.safeParse(JSON.parse(await readText(answer.body)));
    return told.success ? told.data.replace(/^v/, '') : null;
  } catch {
    // About says that the version is not known.
    return null;
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error('The answer is too large for a version.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Whether one semantic version is above another. A pre-release is below its release. */
function isNewer(one: string, other: string): boolean {
  const [, ...ones] = versionShape.exec(one) ?? [];
  const [, ...others] = versionShape.exec(other) ?? [];
  for (const part of [0, 1, 2]) {
    const difference = Number(ones[part] ?? 0) - Number(others[part] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return ones[3] === undefined && others[3] !== undefined;
}
