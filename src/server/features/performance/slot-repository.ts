import { sql } from 'kysely';
import type { Executor } from '../../database/tables.ts';
import type { SentSlot } from '../../http/connections/sent-history.ts';

/** The measurement of one process for one slot. */
export interface StoredSlot extends SentSlot {
  slotSeconds: number;
  node: string;
}

/**
 * Tables of slots. Their keys begin with `slot_seconds` and `starts_at`, and end with a `node`.
 */
type SlotTable = 'playback_stats' | 'network_stats' | 'video_stats';

/** The columns of a table between the start and the node of a slot, and those of its counts. */
interface SlotColumns {
  keys: readonly string[];
  counts: readonly string[];
}

const columnsOf: Readonly<Record<SlotTable, SlotColumns>> = {
  playback_stats: {
    keys: ['quadrant'],
    counts: [
      ...['samples', 'sessions', 'new_sessions', 'dropped_frames', 'total_frames'],
      ...['buffer_ms', 'stalls', 'quality_adjustments'],
    ],
  },
  network_stats: { keys: [], counts: ['kbps', 'viewers'] },
  video_stats: { keys: ['video_id'], counts: ['stalls', 'failures', 'played_ms'] },
};

/** The `node` of rows that are the sums of several processes. */
const allNodes = '';

/** Slots deleted at a time, so that a deletion never delays other writes for long. */
const slotsTogether = 20;
/** Processes whose rows of one slot are summed at a time: a slot of videos has 500 of each. */
const nodesTogether = 20;
/** Both databases limit the parameters of a statement. */
const rowsTogether = 500;

/** Deletes old slots, and sums those of several processes. */
export const slotRepository = {
  /** Deletes a few of the oldest slots that start before an instant. */
  async deleteOld(transaction: Executor, table: SlotTable, slotSeconds: number, before: number): Promise<void> {
    const { oldest } = await transaction
      .selectFrom(table)
      .where('slot_seconds', '=', slotSeconds)
      .select(sql<number | null>`min(starts_at)`.as('oldest'))
      .executeTakeFirstOrThrow();
    if (oldest === null || oldest >= before) return;
    await transaction
      .deleteFrom(table)
      .where('slot_seconds', '=', slotSeconds)
      .where('starts_at', '<', Math.min(before, oldest + slotsTogether * slotSeconds * 1_000))
      .execute();
  },

  /**
   * Sums the rows of several processes in the oldest slot that starts before an instant and has
   * such rows. Nobody may write rows of these slots any more.
   */
  async sumOld(transaction: Executor, table: SlotTable, slotSeconds: number, before: number): Promise<void> {
    const slot = await transaction
      .selectFrom(table)
      .select('starts_at')
      .where('slot_seconds', '=', slotSeconds)
      .where('starts_at', '<', before)
      .groupBy('starts_at')
      .having(sql<boolean>`min(node) <> max(node)`)
      .orderBy('starts_at')
      .limit(1)
      .executeTakeFirst();
    if (slot === undefined) return;
    const ofSlot = sql`slot_seconds = ${slotSeconds} and starts_at = ${slot.starts_at}`;
    const { keys, counts } = columnsOf[table];
    // Another process that sums the same rows waits here, and gets none.
    const { rows } = await sql<CountsRow>`delete from ${sql.table(table)}
      where ${ofSlot} and node in (
      select distinct node from ${sql.table(table)} where ${ofSlot} and node <> ${allNodes}
      order by node limit ${sql.lit(nodesTogether)}
    ) returning *`.execute(transaction);
    const sums = new Map<string, CountsRow>();
    for (const row of rows) {
      const key = keys.map((column) => row[column]).join();
      const sum = sums.get(key) ?? { ...row, node: allNodes };
      if (sums.has(key)) for (const count of counts) sum[count] = Number(sum[count]) + Number(row[count]);
      sums.set(key, sum);
    }
    await addRows(transaction, table, [...sums.values()]);
  },
};

type CountsRow = Record<string, string | number>;

/** Adds the counts to those of the same slots. */
async function addRows(transaction: Executor, table: SlotTable, rows: readonly CountsRow[]): Promise<void> {
  const { keys, counts } = columnsOf[table];
  const unique = ['slot_seconds', 'starts_at', ...keys, 'node'];
  const columns = [...unique, ...counts];
  const added = counts.map((count) => {
    const [before, more] = [sql.ref(`${table}.${count}`), sql.ref(`excluded.${count}`)];
    return sql`${sql.ref(count)} = ${before} + ${more}`;
  });
  for (let from = 0; from < rows.length; from += rowsTogether) {
    const values = rows
      .slice(from, from + rowsTogether)
      .map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
    const insert = sql`insert into ${sql.table(table)} (${list(columns)}) values ${sql.join(values)}
      on conflict (${list(unique)}) do update set ${sql.join(added)}`;
    await insert.execute(transaction);
  }
}

const list = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

/** Slots of one length that start within a range. Epoch milliseconds, both ends included. */
interface SlotRange {
  slotSeconds: number;
  from: number;
  until: number;
  /** The process whose slots are left out. */
  node: string;
}

/** Bandwidth in slots of time. */
export const bandwidthRepository = {
  /** Adds the values to those stored for the same slots. */
  async add(transaction: Executor, slots: readonly StoredSlot[]): Promise<void> {
    await transaction
      .insertInto('network_stats')
      .values(
        slots.map(({ slotSeconds, startsAt, node, kbps, viewers }) => ({
          slot_seconds: slotSeconds,
          starts_at: startsAt,
          node,
          kbps,
          viewers,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['slot_seconds', 'starts_at', 'node']).doUpdateSet((row) => ({
          kbps: sql`${row.ref('network_stats.kbps')} + ${row.ref('excluded.kbps')}`,
          viewers: sql`${row.ref('network_stats.viewers')} + ${row.ref('excluded.viewers')}`,
        })),
      )
      .execute();
  },

  /**
   * Sums the measurements in steps of `stepMs` milliseconds.
   * @param ownFrom the start of the slots of `node` that are left out
   */
  async sum(executor: Executor, range: SlotRange & { stepMs: number; ownFrom: number }): Promise<SentSlot[]> {
    const { slotSeconds, stepMs, from, until, node, ownFrom } = range;
    const step = sql<number>`starts_at - starts_at % ${sql.lit(stepMs)}`;
    const rows = await executor
      .selectFrom('network_stats')
      .select((row) => [
        step.as('startsAt'),
        row.fn.sum<number | string>('kbps').as('kbps'),
        row.fn.sum<number | string>('viewers').as('viewers'),
      ])
      .where('slot_seconds', '=', slotSeconds)
      .where('starts_at', '>=', from)
      .where('starts_at', '<=', until)
      .where((row) => row.or([row('node', '!=', node), row('starts_at', '<', ownFrom)]))
      .groupBy(step)
      .execute();
    return rows.map(({ startsAt, kbps, viewers }) => ({
      startsAt,
      kbps: Number(kbps),
      viewers: Number(viewers),
    }));
  },

  /** Lists the newest slot of each other process. */
  async listNewest(executor: Executor, { slotSeconds, from, until, node }: SlotRange): Promise<SentSlot[]> {
    const rows = await executor
      .selectFrom('network_stats')
      .select(['node', 'starts_at', 'kbps', 'viewers'])
      .where('slot_seconds', '=', slotSeconds)
      .where('starts_at', '>=', from)
      .where('starts_at', '<=', until)
      .where('node', '!=', node)
      .orderBy('starts_at')
      .execute();
    const newest = new Map(rows.map((row) => [row.node, row]));
    return [...newest.values()].map(({ starts_at: startsAt, kbps, viewers }) => ({ startsAt, kbps, viewers }));
  },
};
