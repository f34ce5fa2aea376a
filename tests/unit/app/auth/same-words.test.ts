import { expect, test } from 'vitest';
import { deviceApprovalSchema } from '#contract/entities/account.ts';
import { checkUserCode } from '#contract/rules/credentials.ts';

test('the dialog for the code of a TV and the server say the same of what is none', () => {
  const { error } = deviceApprovalSchema.safeParse({ user_code: 'AEIO-UAEI' });
  expect(error?.issues.map(({ message }) => message)).toEqual([checkUserCode('AEIO-UAEI')]);
});
