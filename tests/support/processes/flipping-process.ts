import { renameSync, symlinkSync } from 'node:fs';

/**
 * Makes a link lead to one target and to the other in turn, without a moment in which it is missing, until the process
 * is ended.
 */
const [link = '', ...targets] = process.argv.slice(2);
process.send?.('flipping');
for (let turn = 0; ; turn += 1) {
  symlinkSync(targets[turn % targets.length] ?? '', `${link}.next`);
  renameSync(`${link}.next`, link);
}
