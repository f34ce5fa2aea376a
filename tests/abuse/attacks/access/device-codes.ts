import { limits } from '#contract/limits.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { fieldsOf, repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

/** Codes for a TV asked for without end, one polled without a pause, and codes of others guessed. */
export const deviceCodes: Attack = {
  name: 'device-codes',
  databases: bothDatabases,
  short: bothDatabases,
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const tv = target.stranger();
    const { device_code, user_code } = fieldsOf(await tv.post('/auth/device', {}));
    const polls = await repeat(budget.count(60, 600), 8, () =>
      tv.post('/auth/device/token', { device_code }, { 'idempotency-key': `poll-${random(2 ** 31)}` }),
    );
    const errors = new Set(polls.map((reply) => `${reply.status} ${fieldsOf(reply).error}`));
    const expected = ['400 authorization_pending', '400 slow_down', '429 rate_limited'];
    findings.expect(
      [...errors].every((error) => expected.includes(error)),
      `polls are answered with ${[...errors].join(', ')}`,
    );
    const early = polls.filter((reply) => fieldsOf(reply).error !== 'authorization_pending').length;
    findings.expect(early >= polls.length * 0.9, 'polls without a pause are not slowed down');

    const { client } = await target.member();
    const guess = () =>
      Array.from({ length: limits.deviceCodeCharacters }, () => 'BCDFGHJKLMNPQRSTVWXZ'[random(20)]).join('');
    const tries = await repeat(limits.deviceApprovalTries * 3, 1, () =>
      client.post('/auth/device/approve', { user_code: guess() }),
    );
    findings.expect(
      tries.every(({ status }) => [400, 429].includes(status)),
      'a guessed code is approved',
    );
    findings.expect(tries.at(-1)?.status === 429, 'codes can be guessed without end');
    const known = await client.post('/auth/device/approve', { user_code });
    findings.expect(known.status === 429, `after too many guesses the right code is answered with ${known.status}`);
    const signedIn = await tv.post('/auth/device/token', { device_code });
    findings.expect(signedIn.status === 400, `a code that nobody approved signs in (${signedIn.status})`);

    const asked = await repeat(budget.count(40, 700), 8, () => tv.post('/auth/device', {}));
    findings.expect(
      asked.every(({ status }) => [200, 201, 429].includes(status)),
      `codes are answered with ${[...new Set(asked.map(({ status }) => status))].join(', ')}`,
    );
    if (!budget.isShort)
      findings.expect(
        asked.some(({ status }) => status === 429),
        'codes are given without end',
      );
    return findings.list();
  },
};
