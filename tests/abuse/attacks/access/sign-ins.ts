import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client, Reply } from '../../client.ts';
import { fieldsOf, repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

const guesses = 24;
/** Five are free, and a slow machine lets the first waits pass. */
const mostGuesses = 8;

/** Passwords guessed by name and by e-mail, accounts looked for by their answers, and accounts made by the hundred. */
export const signIns: Attack = {
  name: 'sign-ins',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'proxied',
  async run(target, random, budget) {
    const findings = createFindings();
    const typed = `hunter2-${random(1_000_000)}-typed-into-the-wrong-field`;
    target.inspector.keepSecret(typed);
    const tell = (client: Client, identifier: string) =>
      client.post('/auth/login', { identifier, password: `wrong ${random(1_000_000)}` });
    const wordsOf = (reply: Reply) => `${reply.status} ${fieldsOf(reply).error}`;

    // The keeper's account was made when the set-up code was guessed.
    const known = wordsOf(await tell(await target.visitor(), 'keeper'));
    const unknown = wordsOf(await tell(await target.visitor(), typed));
    findings.expect(known === unknown, `an account shows: ${known}, and ${unknown} where there is none`, 'leak');

    // All at once and each from a new address, by the name and by the e-mail: one account has one budget.
    const guessers = await repeat(guesses, 4, () => target.visitor());
    const tries = await repeat(guesses, guesses, (index) =>
      tell(guessers[index] ?? target.stranger(), ['keeper', 'KEEPER', 'keeper@example.com'][index % 3] ?? ''),
    );
    const refused = tries.filter(({ status }) => status === 429);
    findings.expect(
      tries.length - refused.length <= mostGuesses,
      `${tries.length - refused.length} of ${guesses} guesses at once are looked at`,
    );
    findings.expect(
      refused.every(({ headers }) => Number(headers['retry-after']) > 0),
      'a 429 says no time',
    );

    const registrant = await target.visitor();
    const made = await repeat(budget.count(8, 20), 1, (index) => {
      const name = `crowd-${random(1_000_000)}-${index}`;
      return registrant.post('/auth/register', {
        username: name,
        email: `${name}@example.com`,
        password: 'a crowd on the pier',
      });
    });
    findings.expect(
      made.some(({ status }) => status === 429),
      'one address makes as many accounts as it likes',
    );
    findings.expect(
      made.every(({ status }) => [201, 403, 429].includes(status)),
      `registrations are answered with ${[...new Set(made.map(({ status }) => status))]}`,
    );

    const registered = await repeat(4, 1, async () =>
      (await target.visitor()).post('/auth/register', {
        username: 'keeper',
        email: 'keeper@example.com',
        password: 'low water at dusk',
      }),
    );
    findings.expect(
      registered.every(({ status }) => [409, 403, 429].includes(status)),
      'a name is given twice',
    );
    return findings.list();
  },
};
