import { createHash } from 'node:crypto';
import type { Executor } from '../../database/tables.ts';

/** A TV that waits for somebody to sign it in. Instants are epoch milliseconds. */
export interface DeviceSignIn {
  deviceCode: string;
  userCode: string;
  /** In words: 'Chrome on an LG TV'. */
  device: string;
  /** Where it asked from; null for one that an older version has written down. */
  address: string | null;
  askedAt: number;
  expiresAt: number;
}

/** @returns false when another TV shows the same code at the moment */
export async function insertDeviceSignIn(
  executor: Executor,
  { deviceCode, userCode, device, address, askedAt, expiresAt }: DeviceSignIn,
): Promise<boolean> {
  const row = await executor
    .insertInto('device_sign_ins')
    .values({
      device_hash: hashOf(deviceCode),
      user_code: userCode,
      user_id: null,
      device,
      address,
      asked_at: askedAt,
      polled_at: null,
      expires_at: expiresAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_code')
    .executeTakeFirst();
  return row !== undefined;
}

/** The TV that shows this code and waits; null for none. */
export async function findWaiting(
  executor: Executor,
  userCode: string,
  now: number,
): Promise<Pick<DeviceSignIn, 'device' | 'address' | 'askedAt'> | null> {
  const row = await executor
    .selectFrom('device_sign_ins')
    .selectAll()
    .where('user_code', '=', userCode)
    .where('user_id', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row === undefined ? null : { device: row.device, address: row.address, askedAt: row.asked_at ?? now };
}

/** Who approved it, and when it asked before; null for a code that has run out or never was. */
export async function findDevice(
  executor: Executor,
  deviceCode: string,
  now: number,
): Promise<{ userId: string | null; polledAt: number | null } | null> {
  const row = await executor
    .selectFrom('device_sign_ins')
    .select(['user_id', 'polled_at'])
    .where('device_hash', '=', hashOf(deviceCode))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row === undefined ? null : { userId: row.user_id, polledAt: row.polled_at };
}

/** Says that the TV asks. @returns false when it has asked after `since` already */
export async function pollDevice(executor: Executor, deviceCode: string, now: number, since: number): Promise<boolean> {
  const rows = await executor
    .updateTable('device_sign_ins')
    .set({ polled_at: now })
    .where('device_hash', '=', hashOf(deviceCode))
    .where((row) => row.or([row('polled_at', 'is', null), row('polled_at', '<=', since), row('polled_at', '>', now)]))
    .returning('user_code')
    .execute();
  return rows.length > 0;
}

/** Each approval signs in once. @returns whether it was there */
export async function claimDevice(executor: Executor, deviceCode: string): Promise<boolean> {
  const rows = await executor
    .deleteFrom('device_sign_ins')
    .where('device_hash', '=', hashOf(deviceCode))
    .returning('user_code')
    .execute();
  return rows.length > 0;
}

/** @returns whether a TV shows this code */
export async function approveDevice(
  executor: Executor,
  userCode: string,
  userId: string,
  now: number,
): Promise<boolean> {
  const rows = await executor
    .updateTable('device_sign_ins')
    .set({ user_id: userId })
    .where('user_code', '=', userCode)
    .where('user_id', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_code')
    .execute();
  return rows.length > 0;
}

export async function deleteExpiredDevices(executor: Executor, now: number): Promise<void> {
  await executor.deleteFrom('device_sign_ins').where('expires_at', '<=', now).execute();
}

function hashOf(deviceCode: string): string {
  return createHash('sha256').update(deviceCode).digest('base64url');
}
