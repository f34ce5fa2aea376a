import { createHash } from 'node:crypto';
import type { Executor } from '../../database/tables.ts';

/** A TV that waits to be signed in. Instants are epoch milliseconds. */
interface DeviceSignIn {
  deviceCode: string;
  userCode: string;
  /** The device in words, such as 'Chrome on an LG TV'. */
  device: string;
  /** The address of its request; null in rows of an older version. */
  address: string | null;
  askedAt: number;
  expiresAt: number;
}

/** Sign-ins that a second device approves. */
export const deviceSignInRepository = {
  /** @returns false when another TV currently shows the same code */
  async insert(
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
  },

  /** The waiting TV that shows this code, or null. */
  async findWaiting(
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
  },

  /** The approving user and the time of the last poll; null for an expired or unknown code. */
  async find(
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
  },

  /**
   * Records a poll of the TV.
   * @returns false when it has already polled after `since`
   */
  async poll(executor: Executor, deviceCode: string, now: number, since: number): Promise<boolean> {
    const rows = await executor
      .updateTable('device_sign_ins')
      .set({ polled_at: now })
      .where('device_hash', '=', hashOf(deviceCode))
      .where((row) => row.or([row('polled_at', 'is', null), row('polled_at', '<=', since), row('polled_at', '>', now)]))
      .returning('user_code')
      .execute();
    return rows.length > 0;
  },

  /**
   * Claims an approval, which signs in only once.
   * @returns whether it existed
   */
  async claim(executor: Executor, deviceCode: string): Promise<boolean> {
    const rows = await executor
      .deleteFrom('device_sign_ins')
      .where('device_hash', '=', hashOf(deviceCode))
      .returning('user_code')
      .execute();
    return rows.length > 0;
  },

  /** @returns whether a TV shows this code */
  async setUser(executor: Executor, userCode: string, userId: string, now: number): Promise<boolean> {
    const rows = await executor
      .updateTable('device_sign_ins')
      .set({ user_id: userId })
      .where('user_code', '=', userCode)
      .where('user_id', 'is', null)
      .where('expires_at', '>', now)
      .returning('user_code')
      .execute();
    return rows.length > 0;
  },

  async deleteExpired(executor: Executor, now: number): Promise<void> {
    await executor.deleteFrom('device_sign_ins').where('expires_at', '<=', now).execute();
  },
};

function hashOf(deviceCode: string): string {
  return createHash('sha256').update(deviceCode).digest('base64url');
}
