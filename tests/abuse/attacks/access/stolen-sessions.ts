import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { fieldsOf, repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

const invisible = ['\u202e', '\u200b', '\u0007', '\u2066'];

/** What somebody with a borrowed session, or a page of another site, can make of it: not the account. */
export const stolenSessions: Attack = {
  name: 'stolen-sessions',
  databases: bothDatabases,
  short: bothDatabases,
  setting: 'home',
  async run(target, random) {
    const findings = createFindings();
    const { client, username, email, password } = await target.member();
    const refused = async (what: string, asked: Promise<{ status: number }>) => {
      const { status } = await asked;
      findings.expect(status >= 400 && status < 500, `${what} is answered with ${status}`);
    };
    await refused(
      'another e-mail without the password',
      client.ask('PUT', '/users/profile', { body: { email: 'thief@example.com' } }),
    );
    await refused('the end of the account without the password', client.ask('DELETE', '/users/profile', { body: {} }));
    const guesses = await repeat(15, 15, () =>
      client.post('/auth/change-password', {
        current_password: `guess ${random(1_000)}`,
        new_password: 'a new one for the thief',
      }),
    );
    findings.expect(
      guesses.some(({ status }) => status === 429),
      `of ${guesses.length} guesses of the password at once none is refused`,
    );

    const visitor = target.stranger();
    const signedIn = await visitor.post('/auth/login', { identifier: username, password });
    const cookie = (signedIn.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ');
    findings.expect(signedIn.status === 200, `the owner is answered with ${signedIn.status}`);
    const { access_token: token } = fieldsOf(signedIn);
    target.inspector.keepSecret(String(token));
    const elsewhere = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    await refused(
      'a write from a page of another site',
      target.stranger().ask('PUT', '/users/profile', { body: { display_name: 'x' }, headers: elsewhere }),
    );
    await refused(
      'a write with the cookie alone',
      target.stranger().ask('PUT', '/users/profile', { body: { display_name: 'x' }, headers: { cookie } }),
    );
    const inAddress = await target.stranger().get(`/users/profile?access_token=${token}&token=${token}`);
    findings.expect(fieldsOf(inAddress).authenticated === false, 'a token in an address signs in', 'leak');

    for (const character of invisible) {
      const [name, domain] = email.split('@');
      await refused('an invisible character in an e-mail', register(`${name}x`, `${name}${character}@${domain}`));
      await refused(
        'an invisible character in a name',
        client.ask('PUT', '/users/profile', { body: { display_name: `ma${character}ra` } }),
      );
    }
    await refused('a common password', register('newcomer', 'newcomer@example.com', 'password123'));
    return findings.list();

    function register(asked: string, address: string, chosen = 'lanterns on the quay') {
      return target.stranger().post('/auth/register', { username: asked, email: address, password: chosen });
    }
  },
};
