import { mkdirSync } from 'node:fs';
import { databaseFile } from '../database/database-address.ts';
import { lockForProcess } from '../database/sqlite-file.ts';
import type { Env } from '../env.ts';
import type { Log } from '../log.ts';
import type { KnownNode, NodeFacts } from './node-repository.ts';

/** Another server of the site runs in a way that this one would harm, or be harmed by. */
export class NodeRefused extends Error {
  constructor(harms: readonly string[]) {
    super(
      `another server of this site runs beside it, and they would harm each other:\n${harms.map((harm) => `    ${harm}`).join('\n')}`,
    );
  }
}

/**
 * Takes the data folder of a site with SQLite for this process alone: what a server keeps in memory
 * does not follow the writes of another one. The lock ends with the process, however it ends.
 * @returns the function that gives the folder back
 * @throws NodeRefused while another server has it
 */
export function holdDataFolder(
  { databaseUrl, dataFolder }: Pick<Env, 'databaseUrl' | 'dataFolder'>,
  log: Pick<Log, 'warn'>,
): () => void {
  if (databaseUrl !== undefined) return () => {};
  mkdirSync(dataFolder, { recursive: true });
  let release: (() => void) | null;
  try {
    release = lockForProcess(`${databaseFile(dataFolder)}-lock`);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    log.warn(`${dataFolder} cannot be locked (${words}): see that no other server uses it`);
    return () => {};
  }
  if (release !== null) return release;
  throw new NodeRefused([
    `It uses DATA_DIR ${dataFolder}, too. Stop it, or give this server another folder with DATA_DIR. Several servers`,
    'share a site on PostgreSQL alone (DATABASE_URL). If no other one runs, the disk of that folder has no locks.',
  ]);
}

/**
 * Says what a node would do to another one, in sentences; none if they go together.
 * @param dataFolder the data folder of this node
 */
export function compareNodes(own: NodeFacts, node: KnownNode, dataFolder: string): string[] {
  const words: string[] = [];
  const say = (harm: string) => words.push(`${node.name} (${node.version}): ${harm}`);
  if (own.isTlsLocal || node.isTlsLocal)
    say('TLS=local makes a certificate for one server. Give several a proxy in front, or a certificate of their own.');
  if (own.storage !== node.storage)
    say(`STORAGE_URL is ${node.storage || 'not set'} there, and ${own.storage || 'not set'} here.`);
  else if (own.storage === '' && own.files !== node.files)
    say(
      `its DATA_DIR is another folder than ${dataFolder}. Let both share one, at the same path, or keep files in a store with STORAGE_URL.`,
    );
  if (own.library !== null && node.library !== null && own.library !== node.library)
    say(
      `LIBRARY_DIRS and LIBRARY_URLS are ${toWords(node.library)} there, and ${toWords(own.library)} here. LIBRARY=none serves only what lies in stores.`,
    );
  return words;
}

function toWords(library: string): string {
  return library === '' ? 'not set' : library.replaceAll('\n', ' and ');
}
