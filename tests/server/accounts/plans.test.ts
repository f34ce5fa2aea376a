import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planListSchema, upgradedSchema } from '#contract/entities/user.ts';
import { EnvRefused } from '#server/env.ts';
import { readPlans } from '#server/features/plans/plans.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const server = await startServer({}, afterFile);

function upgrade({ headers }: Pick<Person, 'headers'>, to: unknown, on: ServerUnderTest = server) {
  return on.call('POST', '/users/subscription/upgrade', { headers, payload: { to_tier: to } });
}

test('the plans that ship are told to everybody, from the least to the most', async () => {
  const { plans } = planListSchema.parse((await server.get('/users/subscription/plans')).json());
  expect(plans.map(({ tier, price, duration, popular }) => [tier, price, duration, popular])).toEqual([
    ['basic', 0, null, false],
    ['pro', 9, 'month', true],
    ['lifetime', 149, null, false],
    ['admin', 0, null, false],
  ]);
});

describe('an upgrade', () => {
  test('takes effect at once, without an end', async () => {
    const person = await putPerson(server, 'buyer');
    const reply = await upgrade(person, 'pro');
    const { user, features, success } = upgradedSchema.parse(reply.json());
    expect([success, user.effective_tier, user.subscription_expires_at, features.hd_streaming]).toEqual([
      true,
      'pro',
      null,
      true,
    ]);
    expect((await upgrade(person, 'lifetime')).json().user.effective_tier).toBe('lifetime');
  });

  test.each([
    ['basic', 400, 'downgrade_not_available'],
    ['pro', 400, 'downgrade_not_available'],
    ['admin', 403, 'forbidden'],
    ['PRO', 400, 'validation_failed'],
    [['lifetime'], 400, 'validation_failed'],
    ['gold', 400, 'validation_failed'],
    [undefined, 400, 'validation_failed'],
  ])('from pro to %j is refused', async (to, status, error) => {
    const person = await putPerson(server, `pro-${Buffer.from(JSON.stringify([to])).toString('hex')}`, 'pro');
    const reply = await upgrade(person, to);
    expect([reply.statusCode, reply.json().error]).toEqual([status, error]);
    expect((await server.get('/auth/me', person.headers)).json().user.subscription_tier).toBe('pro');
  });

  test('to admin says whom to ask', async () => {
    expect((await upgrade(await putPerson(server, 'asker'), 'admin')).json().message).toBe('Contact Admin');
  });

  test('is for those who are signed in', async () => {
    const reply = await upgrade({ headers: {} as Person['headers'] }, 'pro');
    expect([reply.statusCode, reply.json().error]).toEqual([401, 'unauthorized']);
  });

  test('is refused where billing is closed, which the configuration tells', async () => {
    const closed = await startServer({ env: { BILLING: 'closed' } });
    expect((await closed.get('/api/config')).json().features.billing).toBe('closed');
    const reply = await upgrade(await putPerson(closed, 'buyer'), 'pro', closed);
    expect([reply.statusCode, reply.json().error]).toEqual([403, 'forbidden']);
  });
});

describe('plans of the operator', () => {
  const free = {
    tier: 'basic',
    name: 'Free',
    price: 0,
    duration: null,
    description: 'All',
    features: [],
    popular: false,
  };
  const gold = { ...free, tier: 'lifetime', name: 'Gold', price: 20.5 };

  function write(content: unknown): string {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'plans.json'), typeof content === 'string' ? content : JSON.stringify(content));
    return folder;
  }

  test('take the place of those that ship, and what they leave out is not on offer', async () => {
    const own = await startServer({ env: { DATA_DIR: write({ plans: [gold, free] }) } });
    expect(
      (await own.get('/users/subscription/plans')).json().plans.map((plan: { name: string }) => plan.name),
    ).toEqual(['Free', 'Gold']);
    const person = await putPerson(own, 'buyer');
    expect((await upgrade(person, 'pro', own)).statusCode).toBe(400);
    expect((await upgrade(person, 'lifetime', own)).statusCode).toBe(200);
  });

  test.each([
    ['what is not JSON', '{"plans":', ['plans.json is not JSON']],
    ['none', { plans: [] }, ['plans.json plans: at least one plan is needed']],
    [
      'two of one tier',
      { plans: [free, { ...gold, tier: 'basic' }] },
      ['plans.json plans.1.tier: there is another plan for this tier'],
    ],
    [
      'a price below nothing',
      { plans: [{ ...free, price: -1 }] },
      ['plans.json plans.0.price: This must be at least 0'],
    ],
    [
      'an unknown tier',
      { plans: [{ ...free, tier: 'gold' }] },
      ['plans.json plans.0.tier: This must be one of basic, pro, lifetime, admin'],
    ],
  ])('are refused at the start for %s', async (_, content, problems) => {
    const refusal = await readPlans({ read: (name) => readFile(join(write(content), name), 'utf8') }).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(EnvRefused);
    expect(refusal instanceof EnvRefused && refusal.problems).toEqual(problems);
  });

  test('that cannot be used keep the server from starting, with the list of what is wrong', async () => {
    const process = runServer({
      DATA_DIR: write({ plans: [{ ...free, price: 'much' }] }),
      LIBRARY_DIRS: temporaryFolder(),
    });
    expect(await process.says(/plans\.json/)).toContain('plans.json plans.0.price: This must be a number');
    expect(await process.ended()).toBe(78);
  });
});
