import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client } from '../../client.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

/** An administrator, or whoever has taken one's session, does what is dear all at once and over and over. */
export const adminStorms: Attack = {
  name: 'admin-storms',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const { client } = await target.admin();
    const acts: Readonly<Record<string, (client: Client) => ReturnType<Client['get']>>> = {
      'clear-cache': (keeper) => keeper.post('/api/clear-cache', {}),
      rescan: (keeper) => keeper.post('/api/refresh', {}),
      config: (keeper) =>
        keeper.post('/api/config/update', { video_settings: { switch_interval_seconds: 5 + random(1_000) } }),
      jobs: (keeper) => keeper.get('/api/admin/jobs?limit=100&page=1000000000'),
      retry: (keeper) => keeper.post(`/api/admin/jobs/${random(1_000)}/retry`, {}),
      cancel: (keeper) => keeper.ask('DELETE', `/api/admin/jobs/${random(1_000)}`),
      kinds: (keeper) => keeper.get('/api/admin/jobs/kinds'),
      'retry-all': (keeper) => keeper.post('/api/admin/jobs/retry', { kind: 'poster' }),
      'cancel-all': (keeper) => keeper.post('/api/admin/jobs/cancel', { kind: 'poster' }),
      unplayable: (keeper) => keeper.get(`/api/admin/library/unplayable?search=${'%25_'.repeat(60)}&limit=100`),
      hide: (keeper) => keeper.ask('PUT', `/api/admin/videos/${random(1_000)}/hidden`),
      show: (keeper) => keeper.ask('DELETE', `/api/admin/videos/${random(1_000)}/hidden`),
      users: (keeper) => keeper.get(`/users/admin?search=${'%25_'.repeat(60)}&limit=100`),
    };
    const names = Object.keys(acts);
    await repeat(budget.count(80, 700), 12, async () => {
      const name = names[random(names.length)] ?? 'jobs';
      const reply = await acts[name]?.(client);
      const status = reply?.status ?? 0;
      findings.expect([200, 202, 204, 400, 404, 409, 429].includes(status), `${name} is answered with ${status}`);
    });
    const { status } = await target.stranger().get('/api/config');
    findings.expect(status === 200, `a viewer is answered with ${status}`);
    return findings.list();
  },
};
