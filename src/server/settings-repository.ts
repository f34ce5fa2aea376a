import type { SettingName } from '#contract/rules/site-settings.ts';
import { settingLabels } from '#contract/rules/site-settings.ts';
import type { Executor } from './database/tables.ts';

/** The stored rows of settings by name, as JSON (`Sealed` in `live-settings.ts`). */
export type StoredSettings = Partial<Record<SettingName, string>>;

/** The rows that a change replaced and stored; null stands for a row that is not there. */
export interface SettingChange {
  activityNumber: number;
  before: Partial<Record<SettingName, string | null>>;
  after: Partial<Record<SettingName, string | null>>;
  /** Epoch milliseconds. */
  changedAt: number;
  isUndone: boolean;
}

/** Name of the row in `settings` with the id of the person whom the first run is shown to. */
const firstRunName = 'first_run';

/** Earlier versions read the switch interval from a row of another name. */
const rowNameOf = (name: SettingName) => (name === 'SWITCH_INTERVAL_SECONDS' ? 'switch_interval_seconds' : name);

const names = Object.keys(settingLabels) as SettingName[];

/** The settings that administrators have stored, and what they changed. */
export const settingRepository = {
  async list(executor: Executor): Promise<StoredSettings> {
    const asked = names.map(rowNameOf);
    const rows = await executor.selectFrom('settings').select(['name', 'value']).where('name', 'in', asked).execute();
    return Object.fromEntries(rows.map(({ name, value }) => [names.find((one) => rowNameOf(one) === name), value]));
  },

  /** Stores a row; null removes it. */
  async put(transaction: Executor, name: SettingName, value: string | null, now: number): Promise<void> {
    if (value !== null) await putRow(transaction, rowNameOf(name), value, now);
    else await transaction.deleteFrom('settings').where('name', '=', rowNameOf(name)).execute();
  },

  /** The id of the person who still has to see the first run; null if there is none. */
  async findFirstRun(executor: Executor): Promise<string | null> {
    const row = await executor
      .selectFrom('settings')
      .select('value')
      .where('name', '=', firstRunName)
      .executeTakeFirst();
    return row === undefined ? null : JSON.parse(row.value);
  },

  startFirstRun(transaction: Executor, userId: string, now: number): Promise<void> {
    return putRow(transaction, firstRunName, JSON.stringify(userId), now);
  },

  async endFirstRun(transaction: Executor, userId: string): Promise<void> {
    await transaction
      .deleteFrom('settings')
      .where('name', '=', firstRunName)
      .where('value', '=', JSON.stringify(userId))
      .execute();
  },

  async insertChange(transaction: Executor, change: Omit<SettingChange, 'isUndone'>): Promise<void> {
    const { activityNumber, before, after, changedAt } = change;
    await transaction
      .insertInto('setting_changes')
      .values({
        activity_number: activityNumber,
        before: JSON.stringify(before),
        after: JSON.stringify(after),
        changed_at: changedAt,
      })
      .execute();
  },

  async findChange(executor: Executor, activityNumber: number): Promise<SettingChange | null> {
    const row = await executor
      .selectFrom('setting_changes')
      .selectAll()
      .where('activity_number', '=', activityNumber)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      activityNumber,
      before: JSON.parse(row.before),
      after: JSON.parse(row.after),
      changedAt: row.changed_at,
      isUndone: row.undone_at !== null,
    };
  },

  /** @returns whether this caller is the one who undoes it */
  async markUndone(transaction: Executor, activityNumber: number, now: number): Promise<boolean> {
    const marked = await transaction
      .updateTable('setting_changes')
      .set({ undone_at: now })
      .where('activity_number', '=', activityNumber)
      .where('undone_at', 'is', null)
      .returning('activity_number')
      .execute();
    return marked.length > 0;
  },

  /**
   * Deletes at most `most` changes that were made before an instant.
   * @returns their number
   */
  async deleteChangesBefore(executor: Executor, instant: number, most: number): Promise<number> {
    const old = executor
      .selectFrom('setting_changes')
      .select('activity_number')
      .where('changed_at', '<', instant)
      .limit(most);
    const rows = await executor
      .deleteFrom('setting_changes')
      .where('activity_number', 'in', old)
      .returning('activity_number')
      .execute();
    return rows.length;
  },
};

async function putRow(transaction: Executor, name: string, value: string, now: number): Promise<void> {
  const facts = { value, updated_at: now };
  await transaction
    .insertInto('settings')
    .values({ name, ...facts })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
    .execute();
}
