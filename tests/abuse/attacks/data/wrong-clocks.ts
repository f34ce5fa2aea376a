import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { fieldsOf } from '../../client.ts';
import { createFindings } from '../../findings.ts';

const clockAhead = fileURLToPath(new URL('../../clock-ahead.ts', import.meta.url));
/** The sweeps of a start take some tenths of a second. */
const sweepsMs = [500, 1_500] as const;

/** The clock of the machine is ten years ahead for one start; what can be brought back still can be afterwards. */
export const wrongClocks: Attack = {
  name: 'wrong-clocks',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  endsProduct: true,
  async run(target, _random, budget) {
    const findings = createFindings();
    const { client } = await target.admin();
    const created = fieldsOf(await client.post('/api/tags', { name: 'Tides' })).tag as { id?: string } | undefined;
    const removed = await client.ask('DELETE', `/api/tags/${created?.id}`);
    findings.expect(removed.status === 204, `the removal of a channel is answered with ${removed.status}`);
    for (let turn = 0; turn < budget.count(1, 3); turn += 1) {
      await target.process.end('SIGKILL');
      await target.process.start({ NODE_OPTIONS: `--import=${clockAhead}` });
      await delay(budget.count(...sweepsMs));
    }
    await target.process.end('SIGTERM');
    await target.process.start();
    const { changes } = fieldsOf(await client.get('/api/admin/tags/changes')) as { changes?: { id: string }[] };
    const undone = await client.post(`/api/admin/tags/changes/${changes?.[0]?.id}/undo`, {});
    findings.expect(undone.status < 300, `a removed channel cannot be brought back: ${undone.status}`, 'loss');
    return findings.list();
  },
};
