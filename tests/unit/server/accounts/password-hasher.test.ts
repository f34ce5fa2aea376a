import { describe, expect, test } from 'vitest';
import { createPasswordHasher, usualCost } from '#server/features/users/password-hasher.ts';
import { Refusal } from '#server/http/pipeline/errors.ts';

const cheap = { memoryKiB: 8, passes: 1 };

describe('a password hash', () => {
  test('opens to its password alone, and is never the same twice', async () => {
    const hasher = createPasswordHasher(cheap);
    const hash = await hasher.hash('north pier');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
    expect(await hasher.verify('north pier', hash)).toBe(true);
    expect(await hasher.verify('North pier', hash)).toBe(false);
    expect(hash).not.toBe(await hasher.hash('north pier'));
  });

  test('of less than is asked for today still opens, and is told to be outdated', async () => {
    const hash = await createPasswordHasher(cheap).hash('north pier');
    const stronger = createPasswordHasher({ memoryKiB: 16, passes: 2 });
    expect(await stronger.verify('north pier', hash)).toBe(true);
    expect([stronger.isOutdated(hash), createPasswordHasher(cheap).isOutdated(hash)]).toEqual([true, false]);
  });

  test.each([null, '', 'plain text', '$2b$12$abcdefghijklmnopqrstuv'])('that is %j opens to nothing', async (hash) => {
    const hasher = createPasswordHasher(cheap);
    for (const password of ['', 'plain text', String(hash)]) expect(await hasher.verify(password, hash)).toBe(false);
  });

  test('costs at least what OWASP asks for', () => {
    expect(usualCost.memoryKiB).toBeGreaterThanOrEqual(19_456);
    expect(usualCost.passes).toBeGreaterThanOrEqual(2);
  });
});

test('so many sign in at once; the rest wait, and beyond that they are refused for a moment', async () => {
  const hasher = createPasswordHasher(cheap);
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => hasher.hash('north pier')));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(6);
  for (const { reason } of refused) expect(reason instanceof Refusal && reason.code).toBe('unavailable');
  expect(await hasher.hash('north pier')).toContain('argon2id');
});
