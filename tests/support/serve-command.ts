import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The shell command that `npm start` ends with, once everything is built: with it come the settings of the engine. It
 * becomes the server's own process.
 */
export function serveCommand(): string {
  const manifest = readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8');
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };
  return scripts.start.slice(scripts.start.lastIndexOf('&&') + 2);
}
