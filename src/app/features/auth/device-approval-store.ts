import { proxy } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { approveDevice, findWaitingDevice } from '#contract/endpoints.ts';
import type { WaitingDevice } from '#contract/entities/device-sign-in.ts';
import { checkUserCode } from '#contract/rules/device-code.ts';
import { refusalWords, refusedFields } from './refusal.ts';

interface DeviceApprovalState {
  userCode: string;
  /** What shows that code; null until it was looked up. */
  found: WaitingDevice | null;
  /** Why the code was refused. */
  problem: string | null;
  isBusy: boolean;
  isDone: boolean;
}

const empty = (): DeviceApprovalState => ({ userCode: '', found: null, problem: null, isBusy: false, isDone: false });

export const deviceApproval = proxy<DeviceApprovalState>(empty());

/** What is asked for a code that was edited or given up meanwhile is nobody's answer any more. */
let turn = 0;

export function editUserCode(userCode: string): void {
  turn += 1;
  Object.assign(deviceApproval, { userCode, found: null, problem: null, isBusy: false });
}

/** Asks which device shows the code, so that nobody signs a stranger's in without having seen it. */
export async function lookUpDevice(): Promise<void> {
  const { userCode, isBusy } = deviceApproval;
  if (isBusy) return;
  deviceApproval.problem = checkUserCode(userCode);
  if (deviceApproval.problem !== null) return;
  await asking(async (body) => ({ found: await call(findWaitingDevice, { body }) }));
}

/** Signs in the device that was found, as the person who is signed in here. */
export async function approve(): Promise<void> {
  if (deviceApproval.isBusy || deviceApproval.found === null) return;
  await asking(async (body) => {
    await call(approveDevice, { body });
    return { isDone: true };
  });
}

export function resetDeviceApproval(): void {
  turn += 1;
  Object.assign(deviceApproval, empty());
}

async function asking(ask: (body: { user_code: string }) => Promise<Partial<DeviceApprovalState>>): Promise<void> {
  const own = turn;
  Object.assign(deviceApproval, { isBusy: true, problem: null });
  const outcome = await ask({ user_code: deviceApproval.userCode }).catch((error: unknown) => ({
    found: null,
    problem: refusedFields(error).user_code ?? refusalWords(error),
  }));
  if (own === turn) Object.assign(deviceApproval, { isBusy: false, ...outcome });
}
