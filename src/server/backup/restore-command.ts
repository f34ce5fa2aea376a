import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../clock.ts';
import { databaseAddress } from '../database/database-address.ts';
import { localDisk } from './disk.ts';
import { formatRestore, print, runCommand } from './run-command.ts';

/* `npm run restore <file>` restores a site from an archive into an empty DATA_DIR or database. */

await runCommand({
  usage: 'npm run restore <file>',
  parse: (args) => {
    const { positionals } = parseArgs({ args, allowPositionals: true });
    const [file] = positionals;
    return file === undefined || positionals.length > 1 ? null : { archive: resolve(file) };
  },
  async run({ archive }, { env, signal }) {
    const order = { archive, dataFolder: env.dataFolder, address: databaseAddress(env) };
    // The modules are loaded only once the arguments are known to be valid.
    const { restoreBackup } = await import('./restore-backup.ts');
    const checked = await restoreBackup(order, {
      disk: localDisk,
      clock: systemClock,
      report: (sentence) => print(`  ${sentence}`),
      signal,
    });
    print(formatRestore(checked, env));
  },
  async describe(error, { archive }, { dataFolder }) {
    const { describeRestoreFailure } = await import('./describe-failure.ts');
    return describeRestoreFailure(error, { archive, dataFolder });
  },
  failed: 'Nothing was restored',
});
