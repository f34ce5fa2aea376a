import { localDisk } from '#server/backup/disk.ts';
import { restore } from '../backup/commands.ts';
import { FailingDisk } from '../backup/failing-disk.ts';
import { watchStatements } from '../database/statements.ts';

/*
 * Restores an archive, and kills itself before one of its statements or of its calls of the disk. Arguments: archive,
 * place as JSON, `statement` or `disk`, the number from 0.
 */
const [archive = '', place = '{}', what = '', number = '0'] = process.argv.slice(2);
const kill = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('killed');
};
if (what === 'statement') watchStatements((sent) => sent === Number(number) && kill());
await restore(archive, JSON.parse(place), what === 'disk' ? new FailingDisk(Number(number), kill) : localDisk);
