import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../clock.ts';
import { databaseAddress } from '../database/database-address.ts';
import type { Env } from '../env.ts';
import { localDisk, manualName } from './disk.ts';
import { formatBackup, print, runCommand } from './run-command.ts';

/* `npm run backup [file]` makes an archive of the site, whether the server is running or not. */

await runCommand({
  usage: 'npm run backup [file], or with -- --force <file> to replace one',
  parse: (args) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { force: { type: 'boolean' } },
    });
    return positionals.length > 1 ? null : { file: positionals[0], mayReplace: values.force === true };
  },
  async run({ file, mayReplace }, { env, version, signal }) {
    const target = resolve(file ?? defaultFile(env));
    const order = { dataFolder: env.dataFolder, address: databaseAddress(env), file: target, version, mayReplace };
    // The modules are loaded only once the arguments are known to be valid.
    const { writeBackup } = await import('./write-backup.ts');
    const outcome = await writeBackup(order, {
      disk: localDisk,
      clock: systemClock,
      report: (sentence) => print(`  ${sentence}`),
      signal,
    });
    print(formatBackup(target, outcome, env.libraryFolders));
  },
  async describe(error, { file }, env) {
    const { describeFailure } = await import('./describe-failure.ts');
    return describeFailure(error, resolve(file ?? defaultFile(env), '..'));
  },
  failed: 'No backup was made',
});

function defaultFile({ backupFolder = '' }: Pick<Env, 'backupFolder'>): string {
  return resolve(backupFolder, manualName(systemClock.now()));
}
