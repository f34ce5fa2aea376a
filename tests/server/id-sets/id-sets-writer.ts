import { watchStatements } from '../../support/database/statements.ts';
import { seededRandom } from '../../unit/server/id-sets/list-set.ts';
import { disturb, startNode } from './id-sets-library.ts';

/**
 * A process that changes a library until it is killed. Arguments: the database's address as JSON, a seed, and the
 * number of the statement before which it kills itself, from 0. It says a dot after each change.
 */
const [address = '', seed = '1', last] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const node = await startNode(JSON.parse(address), { keepEveryMs: 5 });
if (last !== undefined) {
  watchStatements((sent) => {
    if (sent === Number(last)) process.kill(process.pid, 'SIGKILL');
  });
}

for (;;) {
  await disturb(node, random, true);
  process.stdout.write('.');
  // Snapshots have their turn only when the loop comes round.
  await new Promise((resolve) => setImmediate(resolve));
}
