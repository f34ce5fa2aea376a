import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../../attack.ts';
import { createFindings } from '../../findings.ts';
import { writeBeside } from '../../writers.ts';

/** PostgreSQL goes away and comes back while people save: in order, and without a word. Picks go on. */
export const postgresRestarts: Attack = {
  name: 'postgres-restarts',
  databases: ['postgres'],
  short: ['postgres'],
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const { postgres } = target;
    if (postgres === null) return findings.list();
    await writeBeside(target, 4, findings, [200, 503], async (writers) => {
      for (let turn = 0; turn < budget.count(2, 8); turn += 1) {
        await writers.untilWritten(3);
        await delay(random(100));
        await postgres.halt(turn % 2 === 0 ? 'SIGINT' : 'SIGQUIT');
        await delay(random(budget.count(100, 1_500)));
        await postgres.start();
        findings.expect(target.process.isRunning(), 'the process ended with PostgreSQL', 'life');
        if (!target.process.isRunning()) await target.process.start();
      }
    });
    return findings.list();
  },
};
