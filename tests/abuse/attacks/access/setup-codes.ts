import { limits } from '#contract/limits.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { fieldsOf, repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

const letters = 'BCDFGHJKLMNPQRSTVWXZ';

/** Strangers guess the code with which the first account is made; whoever reads it on the terminal still comes in. */
export const setupCodes: Attack = {
  name: 'setup-codes',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'proxied',
  async run(target, random, budget) {
    const findings = createFindings();
    const guess = () =>
      Array.from({ length: limits.deviceCodeCharacters }, () => letters[random(letters.length)]).join('');
    const register = (client: Awaited<ReturnType<typeof target.visitor>>, name: string, code?: string) =>
      client.post('/auth/register', {
        username: name,
        email: `${name}@example.com`,
        password: 'low water at dusk',
        setup_code: code,
      });

    const without = await register(await target.visitor(), 'first');
    findings.expect(without.status === 400, `the first account without the code is answered with ${without.status}`);
    findings.expect(!without.body.includes(target.setupCode()), 'the refusal tells the code', 'leak');
    await repeat(budget.count(12, 60), 2, async (index) => {
      const reply = await register(await target.visitor(), `guess-${index}`, guess());
      findings.expect([400, 429].includes(reply.status), `a guess of the code is answered with ${reply.status}`);
    });
    // A code that was guessed at too often is followed by another one, on the terminal.
    const { client: keeper } = await target.admin();
    const { status } = await keeper.get('/api/admin/performance/venues');
    findings.expect(status === 200, `whoever has the code from the terminal is answered with ${status}`);
    const again = await register(await target.visitor(), 'keeper', target.setupCode());
    const second = fieldsOf(again).user as { effective_tier?: string } | undefined;
    findings.expect(second?.effective_tier !== 'admin', 'the code makes a second administrator');
    return findings.list();
  },
};
