import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const serverEntry = 'src/server/main.ts';

/**
 * The shell command that `npm start` ends with, once everything is built: with it come the settings of the engine. It
 * becomes the server's own process.
 * @param entry the program to run in place of the server's own entry, relative to the project
 */
export function serveCommand(entry = serverEntry): string {
  const manifest = readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8');
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };
  const command = scripts.start.slice(scripts.start.lastIndexOf('&&') + 2);
  if (!command.endsWith(` ${serverEntry}`)) throw new Error(`\`npm start\` does not end with ${serverEntry}.`);
  return command.slice(0, -serverEntry.length) + entry;
}

/** The options of Node that `npm start` sets. */
export function engineOptions(): string[] {
  return serveCommand()
    .split(' ')
    .filter((word) => word.startsWith('--'));
}
