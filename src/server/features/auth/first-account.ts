import { randomInt } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import { normalizeUserCode, userCodeAlphabet, userCodeText } from '#contract/rules/device-code.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { Invalid } from '../../http/errors.ts';
import { isSame } from '../../http/signing-keys.ts';
import { insertSecret, readSecret, takeSecret } from '../../secrets.ts';
import { isWithoutUsers } from '../users/user-repository.ts';

const name = 'setup_code';

/**
 * The code with which the first account can be made from another machine. Every node's terminal shows the same one.
 * @returns it as it is read out, or null when there is an account already
 */
export async function prepareSetup(database: Database, clock: Clock): Promise<string | null> {
  if (!(await isWithoutUsers(database.reader))) return null;
  const code = await database.write(async (transaction) => {
    await insertSecret(transaction, { name, value: randomCode(limits.deviceCodeCharacters), createdAt: clock.now() });
    return readSecret(transaction, name);
  });
  return code === null ? null : userCodeText(code);
}

/**
 * Whether the account that is about to be made is the first, and so an administrator's. Part of the transaction that makes it.
 * @throws Invalid for somebody who is neither at the machine itself nor has the code that its terminal shows
 */
export async function claimFirstAccount(transaction: Executor, { isLocal }: { isLocal: boolean }, code: string | undefined): Promise<boolean> {
  if (!(await isWithoutUsers(transaction))) return false;
  if (!isLocal) refuseStranger(await readSecret(transaction, name), code);
  // Two at once come through here one after the other, and the second sees what the first has made.
  await insertSecret(transaction, { name, value: '', createdAt: 0 });
  await takeSecret(transaction, name);
  return isWithoutUsers(transaction);
}

function refuseStranger(expected: string | null, code: string | undefined): void {
  const given = normalizeUserCode(code ?? '');
  if (given === '') throw problem('The first account is made on the machine itself, or with the set-up code that its terminal shows');
  if (expected === null || !isSame(Buffer.from(given), Buffer.from(expected))) throw problem('This is not the set-up code that the terminal shows');
}

function problem(message: string): Invalid {
  return new Invalid([{ field: 'setup_code', message }]);
}

export function randomCode(length: number): string {
  return Array.from({ length }, () => userCodeAlphabet[randomInt(userCodeAlphabet.length)]).join('');
}
