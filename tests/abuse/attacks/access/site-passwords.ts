import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { createClient, repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import { sitePassword } from '../../settings.ts';

/**
 * Wrong site passwords from many networks; a newcomer with the right one comes in all the same, and so does whoever was
 * in before.
 */
export const sitePasswords: Attack = {
  name: 'site-passwords',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'proxied',
  async run(target, random, budget) {
    const findings = createFindings();
    const inside = await target.visitor();
    await repeat(budget.count(30, 120), 4, async (network) => {
      const client = target.stranger();
      for (let tries = 0; tries < 10; tries += 1) {
        const { status } = await client.post('/api/password-auth', { password: `${sitePassword}${random(1_000)}` });
        findings.expect(
          [401, 429].includes(status),
          `a wrong password (network ${network > 27 ? 'beyond' : 'below'} 27) is answered with ${status}`,
        );
      }
    });
    const newcomer = await target.stranger().post('/api/password-auth', { password: sitePassword });
    findings.expect(newcomer.status === 200, `the right password of a newcomer is answered with ${newcomer.status}`);
    const { status } = await inside.get('/api/config');
    findings.expect(status === 200, `whoever was in before is answered with ${status}`);

    // One address, however a proxy writes it, has one budget.
    const ports = await repeat(24, 2, (index) => {
      const headers = { 'x-forwarded-for': index % 2 === 0 ? `198.51.100.9:${10_000 + index}` : '198.51.100.9' };
      return createClient({
        address: target.address,
        from: '127.0.0.4',
        headers,
        inspect: target.inspector.answer,
      }).post('/api/password-auth', {
        password: 'wrong',
      });
    });
    findings.expect(
      ports.some((reply) => reply.status === 429),
      'an address gets a budget for each port that a proxy names',
    );
    return findings.list();
  },
};
