import { backUp } from '../backup/commands.ts';
import { FailingDisk } from '../backup/failing-disk.ts';

/* Makes a backup, and kills itself before one of its calls of the disk. Arguments: place as JSON, file, number from 0. */
const [place = '{}', file = '', number = '0'] = process.argv.slice(2);
await backUp(
  JSON.parse(place),
  file,
  new FailingDisk(Number(number), () => {
    process.kill(process.pid, 'SIGKILL');
    throw new Error('killed');
  }),
);
