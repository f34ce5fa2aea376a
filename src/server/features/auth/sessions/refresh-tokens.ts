import type { SigningKeys } from '../../../http/signing/signing-keys.ts';

/** Which of a session's refresh tokens one is. */
export interface RefreshNumber {
  sessionId: string;
  generation: number;
}

const shape = /^([\w-]{1,64})\.(\d{1,9})\.(\d{1,9}\.[\w-]{43})$/;

/** `family.generation.signature`: nothing of it is stored, so that any node can write the successor again. */
export async function writeRefreshToken(keys: SigningKeys, { sessionId, generation }: RefreshNumber): Promise<string> {
  const text = `${sessionId}.${generation}`;
  return `${text}.${await keys.sign('refresh-token', text)}`;
}

/** Null for what is no token of ours. */
export async function readRefreshToken(keys: SigningKeys, token: string): Promise<RefreshNumber | null> {
  const [, sessionId = '', generation = '', signature = ''] = shape.exec(token) ?? [];
  const isOurs = sessionId !== '' && (await keys.isSigned('refresh-token', `${sessionId}.${generation}`, signature));
  return isOurs ? { sessionId, generation: Number(generation) } : null;
}
