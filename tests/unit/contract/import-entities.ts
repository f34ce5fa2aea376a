import { readdirSync } from 'node:fs';

const folder = new URL('../../../src/contract/entities/', import.meta.url);

/** All exports of all entities, by name. */
export async function importEntities(): Promise<Record<string, unknown>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return Object.assign({}, ...(await Promise.all(files.map((file) => import(new URL(file, folder).href))))) as Record<
    string,
    unknown
  >;
}
