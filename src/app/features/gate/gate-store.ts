import { proxy } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/http-error.ts';
import { enterSite } from '#contract/endpoints.ts';
import { connection, invalidPassword } from '#contract/failures.ts';
import { checkPassword } from '#contract/rules/credentials.ts';

interface GateState {
  password: string;
  /** Why the last try failed. */
  failure: string | null;
  isBusy: boolean;
}

const empty = (): GateState => ({ password: '', failure: null, isBusy: false });

export const gate = proxy<GateState>(empty());

export function editPassword(password: string): void {
  Object.assign(gate, { password, failure: null });
}

/** Sends what is right by the rule. §4 App start: a right password closes the page, as the window is loaded anew. */
export async function enter(): Promise<void> {
  if (gate.isBusy) return;
  const failure = checkPassword(gate.password);
  Object.assign(gate, { isBusy: failure === null, failure });
  if (failure === null) await send();
}

export function resetGate(): void {
  Object.assign(gate, empty());
}

async function send(): Promise<void> {
  try {
    await call(enterSite, { body: { password: gate.password }, quiet: true });
    location.reload();
  } catch (error) {
    Object.assign(gate, { isBusy: false, failure: failureOf(error) });
  }
}

/** §8: the server's words, else 'Invalid password'; what stands between us and the server has none of its own. */
function failureOf(error: unknown): string {
  if (!(error instanceof HttpError)) return connection;
  if (error.code !== undefined) return error.message;
  return error.status < 500 ? invalidPassword : connection;
}
