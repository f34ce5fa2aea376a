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
