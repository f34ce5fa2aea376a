import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { NetworkError } from '#app/platform/http/send.ts';
import { recovered } from '#app/platform/link.ts';
import { session } from '#app/state/session.ts';
import { readConfig, readUploaderProfile } from '#contract/endpoints.ts';
import type { UploadPolicy } from '#contract/rules/upload-file.ts';

interface UploadAccess {
  /** Who may upload here; null until the server has answered. */
  policy: UploadPolicy | null;
  /** The version of the agreement; null until the server has answered. */
  eulaVersion: string | null;
  /** Null until the server has answered. */
  isEulaAccepted: boolean | null;
  isEulaOpen: boolean;
}

const unknown: UploadAccess = { policy: null, eulaVersion: null, isEulaAccepted: null, isEulaOpen: false };

/** Whether the signed-in person may upload (§4 EULA). */
export const uploadAccess = proxy<UploadAccess>({ ...unknown });

let opened = new AbortController();
/** True when the last known profile was used in place of an answer. */
let isUnsure = false;

/** Asks the server. Returns a function that closes it and forgets the answers. */
export function openUploadAccess(): () => void {
  opened = new AbortController();
  const { signal } = opened;
  const stop = recovered.listen(() => isUnsure && void readAccess(signal));
  void readAccess(signal);
  return () => {
    opened.abort();
    stop();
    isUnsure = false;
    Object.assign(uploadAccess, unknown);
  };
}

export function openEula(): void {
  uploadAccess.isEulaOpen = true;
}

export function closeEula(): void {
  uploadAccess.isEulaOpen = false;
}

export function confirmEula(): void {
  Object.assign(uploadAccess, { isEulaAccepted: true, isEulaOpen: false });
}

async function readAccess(signal: AbortSignal): Promise<void> {
  isUnsure = false;
  await Promise.all([readPolicy(signal), readAcceptance(signal)]);
}

/** Reads the version of the agreement again, which may have been replaced meanwhile. */
export function readEulaVersion(): Promise<void> {
  return readPolicy(opened.signal);
}

/**
 * Reads who may upload, and under which agreement. When this fails, uploads are allowed here, and
 * the server refuses those that are not.
 */
async function readPolicy(signal: AbortSignal): Promise<void> {
  const upload = await call(readConfig, { signal })
    .then((config) => config.upload)
    .catch(() => null);
  if (signal.aborted) return;
  uploadAccess.policy = upload?.allowed ?? 'everyone';
  uploadAccess.eulaVersion = upload?.eula_version ?? null;
}

/**
 * Reads whether the agreement was accepted. The agreement opens when it was not, and when the
 * profile cannot be read (§4 EULA).
 */
async function readAcceptance(signal: AbortSignal): Promise<void> {
  try {
    const { eula_accepted: isAccepted } = await call(readUploaderProfile, { signal });
    if (!signal.aborted) showAcceptance(isAccepted);
  } catch (error) {
    if (signal.aborted) return;
    isUnsure = error instanceof NetworkError;
    showAcceptance(isUnsure && session.user?.eula_accepted === true);
  }
}

function showAcceptance(isAccepted: boolean): void {
  Object.assign(uploadAccess, { isEulaAccepted: isAccepted, isEulaOpen: !isAccepted });
}
