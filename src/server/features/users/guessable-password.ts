import { readFile } from 'node:fs/promises';
import { commonPassword } from '#contract/failures.ts';
import { checkOwnNames } from '#contract/rules/credentials.ts';
import { nameKey } from '#contract/rules/text.ts';
import { Invalid } from '../../http/pipeline/errors.ts';

const file = new URL('common-passwords.txt', import.meta.url);
let list: Promise<string> | null = null;

/** A password that is tried first by whoever guesses. @param field by which the call knows it. @throws Invalid */
export async function refuseGuessable(
  password: string,
  names: { username: string; email: string },
  field: string,
): Promise<void> {
  const sentence = checkOwnNames(password, names) ?? ((await isCommon(password)) ? commonPassword : null);
  if (sentence !== null) throw new Invalid([{ field, message: sentence }]);
}

/** One text of 90 KiB, looked through: a set of its lines would take ten times the memory. */
async function isCommon(password: string): Promise<boolean> {
  list ??= readFile(file, 'latin1').catch((error: unknown) => {
    list = null;
    throw error;
  });
  return `\n${await list}`.includes(`\n${nameKey(password)}\n`);
}
