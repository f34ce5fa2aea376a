import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { createForm } from '#app/ui/form/form.ts';
import { enterSite } from '#contract/endpoints.ts';
import { connection, invalidPassword } from '#contract/failures.ts';
import { checkPassword } from '#contract/rules/credentials.ts';

/**
 * §4 App start: the right password closes the page by loading the window again. Every failure is shown at the field.
 */
export const gateForm = createForm({
  empty: { password: '' },
  check: ({ password }) => ({ password: checkPassword(password) }),
  send: async (body) => {
    await call(enterSite, { body, quiet: true });
    location.reload();
  },
  toProblems: (error) => ({ password: toSentence(error) }),
  staysBusy: true,
});

/** §8: the server's words, else 'Invalid password'. A proxy's reply has neither a code nor words for people. */
function toSentence(error: unknown): string {
  if (!(error instanceof HttpError)) return connection;
  if (error.code !== undefined) return error.message;
  return error.status < 500 ? invalidPassword : connection;
}
