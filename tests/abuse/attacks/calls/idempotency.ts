import { limits } from '#contract/limits.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import { countRows } from '../../rows.ts';

/** Keys by the hundred, of strangers and of somebody; the same key again, also with something else. */
export const idempotencyKeys: Attack = {
  name: 'idempotency',
  databases: bothDatabases,
  short: bothDatabases,
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const { client } = await target.member();
    const save = (key: string, name: string) =>
      client.ask('PUT', '/users/profile', { body: { display_name: name }, headers: { 'idempotency-key': key } });

    const first = await save('tide', 'high');
    await save('ebb', 'low');
    const again = await save('tide', 'high');
    findings.expect(first.status === 200 && again.body === first.body, 'the same key is not answered alike');
    const other = await save('tide', 'neap');
    findings.expect(other.status === 409, `a key that was used for something else is answered with ${other.status}`);
    const now = await client.get('/auth/me');
    findings.expect(now.body.includes('"low"'), 'a repeated call has acted twice');
    const atOnce = await repeat(20, 20, () => save('spring', 'spring'));
    findings.expect(
      atOnce.every(({ status }) => [200, 503].includes(status)),
      'one key twenty times at once is answered otherwise than with 200 or 503',
    );

    const refused = await save('refused', 'x'.repeat(10_000));
    const mended = await save('refused', 'short');
    findings.expect(
      refused.status === 400 && mended.status === 200,
      `after a refusal the same key is answered with ${mended.status}`,
    );

    // Refused every time: nothing of it may be kept. No more than a person may ask in a row.
    const before = await countRows(target, 'repeatable_answers');
    await repeat(budget.count(40, 600), 8, () => save(`key-${random(2 ** 31)}`, 'x'.repeat(10_000)));
    const stranger = target.stranger();
    await repeat(budget.count(80, 1_500), 16, () =>
      stranger.post('/auth/login', { identifier: '', password: '' }, { 'idempotency-key': `key-${random(2 ** 31)}` }),
    );
    await repeat(budget.count(30, 500), 16, () =>
      stranger.post(
        '/api/optimization/performance/top-left',
        { samples: [] },
        { 'idempotency-key': `key-${random(2 ** 31)}` },
      ),
    );
    const kept = (await countRows(target, 'repeatable_answers')) - before;
    findings.expect(kept <= 20, `${kept} refusals are kept`, 'answer');

    await repeat(budget.count(125, 300), 8, (index) => save(`mine-${index}`, `name ${index}`));
    const mine = (await countRows(target, 'repeatable_answers')) - before;
    findings.expect(mine <= limits.idempotencyAnswersPerPerson + 20, `${mine} answers are kept for one person`);
    return findings.list();
  },
};
