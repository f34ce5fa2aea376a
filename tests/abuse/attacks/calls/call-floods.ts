import { limits } from '#contract/limits.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client, Reply } from '../../client.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

/** Calls beyond the budget of an address and of a person, while others are served. */
export const callFloods: Attack = {
  name: 'call-floods',
  databases: bothDatabases,
  // What calls may cost is counted in the process.
  short: ['sqlite'],
  setting: 'home',
  async run(target, _random, budget) {
    const findings = createFindings();
    const judge = (replies: readonly Reply[], who: string, fine: number) => {
      const refused = replies.filter(({ status }) => status === 429);
      findings.expect(refused.length > 0, `${replies.length} calls of one ${who} are all answered`);
      findings.expect(
        refused.every(({ headers }) => Number(headers['retry-after']) > 0),
        `a 429 of one ${who} says no time`,
      );
      const others = [...new Set(replies.map(({ status }) => status))].filter(
        (status) => status !== 429 && status !== fine,
      );
      findings.expect(others.length === 0, `calls of one ${who} are answered with ${others.join(', ')}`);
    };
    const neighbour = target.stranger();
    const flood = async (client: Client, count: number) => {
      let done = false;
      const served = serveBeside(neighbour, () => done);
      // A heavy call counts as many, also where it is refused: the budget is used up in seconds.
      const replies = await repeat(count, 16, () => client.get('/api/debug'));
      done = true;
      for (const status of await served) findings.expect(status === 200, `a neighbour is answered with ${status}`);
      return replies;
    };

    const heavyOfAddress = limits.addressCallBurst / limits.heavyCallCost;
    judge(await flood(target.stranger(), heavyOfAddress + budget.count(400, 2_000)), 'address', 401);
    const heavyOfPerson = limits.personCallBurst / limits.heavyCallCost;
    const { id, client: second } = await target.member();
    await (await target.admin()).client.ask('PUT', `/users/admin/${id}/subscription`, { body: { tier: 'admin' } });
    judge(await flood(second, heavyOfPerson + budget.count(200, 1_000)), 'person', 200);
    const bytes = target.stranger();
    const ranges = await repeat(budget.count(100, 1_000), 16, () =>
      bytes.get('/api/video/stream?path=video-1.mp4', { range: 'bytes=0-9' }),
    );
    findings.expect(
      ranges.every(({ status }) => status === 206),
      'bytes of videos are counted as calls',
    );
    return findings.list();
  },
};

async function serveBeside(client: Client, isDone: () => boolean): Promise<number[]> {
  const statuses: number[] = [];
  while (!isDone()) statuses.push((await client.get('/api/status')).status);
  return statuses;
}
