import { proxy } from 'valtio';
import { call } from '#app/platform/call.ts';
import { approveDevice } from '#contract/endpoints.ts';
import { checkUserCode } from '#contract/rules/device-code.ts';
import { refusalWords, refusedFields } from './refusal.ts';

interface DeviceApprovalState {
  userCode: string;
  /** Why the code was refused. */
  problem: string | null;
  isBusy: boolean;
  isDone: boolean;
}

const empty = (): DeviceApprovalState => ({ userCode: '', problem: null, isBusy: false, isDone: false });

export const deviceApproval = proxy<DeviceApprovalState>(empty());

export function editUserCode(userCode: string): void {
  Object.assign(deviceApproval, { userCode, problem: null });
}

/** Signs the TV in that shows the code, as the person who is signed in here. */
export async function approve(): Promise<void> {
  const { userCode, isBusy } = deviceApproval;
  if (isBusy) return;
  deviceApproval.problem = checkUserCode(userCode);
  if (deviceApproval.problem !== null) return;
  deviceApproval.isBusy = true;
  try {
    await call(approveDevice, { body: { user_code: userCode } });
    Object.assign(deviceApproval, { isBusy: false, isDone: true });
  } catch (error) {
    Object.assign(deviceApproval, { isBusy: false, problem: refusedFields(error).user_code ?? refusalWords(error) });
  }
}

export function resetDeviceApproval(): void {
  Object.assign(deviceApproval, empty());
}
