import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { createForm, readProblems, readRefusal } from '#app/ui/form/form.ts';
import { approveDevice, findWaitingDevice } from '#contract/endpoints.ts';
import type { WaitingDevice } from '#contract/entities/account.ts';
import { checkUserCode } from '#contract/rules/credentials.ts';

interface DeviceApprovalState {
  /** The device that shows the code; null until it was looked up. */
  found: WaitingDevice | null;
  isDone: boolean;
}

export const deviceApproval = proxy<DeviceApprovalState>({ found: null, isDone: false });

/**
 * Asks which device shows the code, so that nobody approves a stranger's device without having seen it. Every refusal
 * is shown at the code.
 */
export const userCodeForm = createForm({
  empty: { user_code: '' },
  check: ({ user_code }) => ({ user_code: checkUserCode(user_code) }),
  send: async (body, signal) => {
    const found = await call(findWaitingDevice, { body });
    if (!signal.aborted) deviceApproval.found = found;
  },
  toProblems: (error) => ({ user_code: readProblems(error).user_code ?? readRefusal(error) }),
});

/** Signs in the device that was found, as the person who is signed in here. A refusal leads back to the code. */
export const approvalForm = createForm({
  empty: {},
  check: () => ({}),
  send: async (_, signal) => {
    const outcome = await call(approveDevice, { body: { ...userCodeForm.state.values } }).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (signal.aborted) return;
    if (outcome) {
      userCodeForm.refuse(outcome.error);
      deviceApproval.found = null;
    } else deviceApproval.isDone = true;
  },
});

/** Another code: a reply for the previous one is ignored. */
export function editUserCode(userCode: string): void {
  userCodeForm.reset({ user_code: userCode });
  deviceApproval.found = null;
}

export function resetDeviceApproval(): void {
  userCodeForm.reset();
  approvalForm.reset();
  Object.assign(deviceApproval, { found: null, isDone: false });
}
