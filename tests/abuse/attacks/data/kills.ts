import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { createFindings } from '../../findings.ts';
import { writeBeside } from '../../writers.ts';

/** The process is killed at any moment while people save; what was acknowledged is there afterwards. */
export const kills: Attack = {
  name: 'kills',
  databases: bothDatabases,
  // On SQLite the outsider ends with a kill, too.
  short: ['postgres'],
  setting: 'home',
  endsProduct: true,
  async run(target, random, budget) {
    const findings = createFindings();
    await writeBeside(target, 4, findings, [200, 0], async (writers) => {
      for (let turn = 0; turn < budget.count(1, 4); turn += 1) {
        await writers.untilWritten(2);
        await delay(random(200));
        await writers.surviveEnd('SIGKILL');
      }
    });
    return findings.list();
  },
};
