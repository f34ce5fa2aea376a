import { expect, test } from 'vitest';
import { DatabaseUnreachable, waitForDatabase } from '#server/database/connection.ts';
import { postgresDialect } from '#server/database/dialect.ts';
import { createLog } from '#server/log.ts';
import { terminalText } from '#server/terminal.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
  code: 'ECONNREFUSED',
  syscall: 'connect',
});

/** A database that answers, or refuses, as it is told for each moment; `waited` on a clock that only waiting moves. */
function at(answerAt: (waitedMs: number) => Error | null) {
  const clock = settableClock();
  const begin = clock.elapsed();
  const lines: string[] = [];
  const ping = async () => {
    const refusal = answerAt(clock.elapsed() - begin);
    if (refusal !== null) throw refusal;
  };
  const wait = async (ms: number) => clock.pass(ms);
  const log = createLog('trace', { write: (line) => lines.push(line) });
  const outcome = waitForDatabase({ database: { dialect: postgresDialect, ping }, clock, log, wait }).catch(
    (error: unknown) => error,
  );
  return { outcome, lines, waited: () => clock.elapsed() - begin };
}

test('a database that answers is not waited for, and nothing is said', async () => {
  const { outcome, lines, waited } = at(() => null);
  expect([await outcome, waited(), lines]).toEqual([undefined, 0, []]);
});

test('one that answers after a while is waited for, which is said once', async () => {
  const { outcome, lines, waited } = at((waitedMs) => (waitedMs < 20_000 ? refused : null));
  expect([await outcome, waited()]).toEqual([undefined, 20_000]);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'the database does not answer (connect ECONNREFUSED 127.0.0.1:5432); it is waited for, for up to 30 seconds',
    'the database answers',
  ]);
});

test('one that never answers is given up after half a minute, with a sentence for whoever started the server', async () => {
  const { outcome, waited } = at(() => refused);
  const error = await outcome;
  expect(error).toBeInstanceOf(DatabaseUnreachable);
  expect(waited()).toBe(30_000);
  expect(terminalText.startFailure(error)).toBe(
    '  Fourfold could not start: its database did not answer for 30 seconds (connect ECONNREFUSED 127.0.0.1:5432). See that PostgreSQL runs, and that DATABASE_URL leads to it.',
  );
});

test('one that refuses the password is not waited for', async () => {
  const wrong = Object.assign(new Error('password authentication failed for user "x"'), { code: '28P01' });
  const { outcome, waited } = at(() => wrong);
  expect([await outcome, waited()]).toEqual([wrong, 0]);
});

test.each([
  ['a server that starts', { message: 'the database system is starting up', code: '57P03' }],
  [
    'a socket that is not there',
    { message: 'connect ENOENT /run/postgresql/.s.PGSQL.5432', code: 'ENOENT', syscall: 'connect' },
  ],
  [
    'a name that cannot be asked for',
    { message: 'getaddrinfo EAI_AGAIN db', code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
  ],
  ['a connection that broke before', { message: 'Client has encountered a connection error and is not queryable' }],
])('%s counts as a database that cannot be reached', (_, { message, ...facts }) => {
  expect(postgresDialect.isUnreachable(Object.assign(new Error(message), facts))).toBe(true);
});

test('a file that is not there does not', () => {
  expect(
    postgresDialect.isUnreachable(
      Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', syscall: 'open' }),
    ),
  ).toBe(false);
});
