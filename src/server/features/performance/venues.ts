import type { Venue, VenueReport } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { Alarm } from '#contract/rules/health.ts';
import { silentVenue } from '#contract/rules/health.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { Shares } from '../../limits/shares.ts';
import type { StatsPart } from './stats-writer.ts';
import type { VenueRow } from './venue-repository.ts';
import { venueRepository } from './venue-repository.ts';

const silentMs = limits.venueSilentMinutes * 60_000;
const keptMs = limits.venueKeptDays * 86_400_000;
/** A venue that was not seen for this long leaves its place in a full list to a new one. */
const goneMs = 86_400_000;
/** Other processes store venues as well. */
const readEveryMs = 60_000;

/**
 * Screens in venue mode. Reports carry no token, and anybody can make up a venue: the list, and what
 * one network adds to it, are limited. Networks are kept in memory only.
 */
export class Venues implements StatsPart {
  private readonly database: Database;
  private readonly clock: Clock;
  /** Reports that are not written yet; null: the venue has ended. */
  private readonly unstored = new Map<string, VenueRow | null>();
  private readonly newcomers = new Shares<string>({
    total: limits.venuesListed,
    perNetwork: limits.venuesPerNetwork,
  });
  private stored: ReadonlyMap<string, VenueRow> = new Map();
  private readAt = Number.NEGATIVE_INFINITY;
  /** The time of the last sweep; before the first one nobody's place is taken. */
  private sweptUntil = 0;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.database = database;
    this.clock = clock;
  }

  /** @param network the network around the address of the device */
  note({ id, has_ended: hasEnded, ...report }: VenueReport, network: string): void {
    const before = this.unstored.get(id) ?? this.stored.get(id) ?? null;
    if (before === null && !this.admit(id, network)) return;
    const now = this.clock.now();
    const { name, playing, version, is_signed_out: isSignedOut, closes_in: closesIn, opens_in: opensIn } = report;
    const isTimed = closesIn !== undefined && opensIn !== undefined;
    this.unstored.set(
      id,
      hasEnded
        ? null
        : {
            ...{ id, name, playing, version, is_signed_out: isSignedOut ? 1 : 0 },
            since: sinceOf(before, { since: now, last_seen: now }),
            last_seen: now,
            closes_at: isTimed ? now + closesIn * 1_000 : null,
            opens_at: isTimed ? now + opensIn * 1_000 : null,
          },
    );
  }

  /** Lists the venues by name. */
  async list(): Promise<Venue[]> {
    await this.read();
    const now = this.clock.now();
    return this.present()
      .map((row) => toVenue(row, now))
      .sort((one, other) => one.name.localeCompare(other.name));
  }

  /** Removes a venue from the list, until it reports again. */
  async forget(id: string): Promise<void> {
    this.unstored.delete(id);
    await this.database.write((transaction) => venueRepository.delete(transaction, id));
    await this.read();
  }

  /** Alarms about venues that should report and do not. */
  async findAlarms(): Promise<Alarm[]> {
    const now = this.clock.now();
    if (Math.abs(now - this.readAt) >= readEveryMs) await this.read();
    return this.present().flatMap((row) => (isSilent(row, now) ? silentVenue(row.id, row.name, row.last_seen) : []));
  }

  unwritten(): ReturnType<StatsPart['unwritten']> {
    if (this.unstored.size === 0) return null;
    const rows = [...this.unstored];
    return {
      write: (transaction) => this.write(transaction, rows),
      markWritten: () => {
        for (const [id, row] of rows) if (this.unstored.get(id) === row) this.unstored.delete(id);
      },
    };
  }

  async tidy(transaction: Executor, until: number): Promise<void> {
    this.sweptUntil = until;
    await venueRepository.deleteOld(transaction, until - keptMs);
  }

  close(): void {
    for (const id of this.newcomers.all())
      if (!this.stored.has(id) && !this.unstored.has(id)) this.newcomers.remove(id);
  }

  private admit(id: string, network: string): boolean {
    if (this.unstored.has(id) || this.newcomers.findFull({ network })) return false;
    this.newcomers.add(id, { network });
    return true;
  }

  private present(): VenueRow[] {
    const all = new Map<string, VenueRow | null>([...this.stored, ...this.unstored]);
    return [...all.values()].flatMap((row) => row ?? []);
  }

  private async read(): Promise<void> {
    this.readAt = this.clock.now();
    this.keep(await venueRepository.list(this.database.reader));
  }

  private keep(rows: readonly VenueRow[]): void {
    this.stored = new Map(rows.map((row) => [row.id, row]));
  }

  private async write(transaction: Executor, rows: readonly (readonly [string, VenueRow | null])[]): Promise<void> {
    const listed = new Map((await venueRepository.list(transaction)).map((row) => [row.id, row]));
    for (const [id, row] of rows) {
      if (row === null) await venueRepository.delete(transaction, id);
      else if (listed.has(id) || (await this.makeRoom(transaction, listed))) {
        const since = sinceOf(listed.get(id), row);
        await venueRepository.store(transaction, { ...row, since });
        listed.set(id, row);
      }
    }
    this.keep(await venueRepository.list(transaction));
  }

  /** @returns whether there is room for one more */
  private async makeRoom(transaction: Executor, listed: Map<string, VenueRow>): Promise<boolean> {
    if (listed.size < limits.venuesListed) return true;
    const [oldest] = [...listed.values()].sort((one, other) => one.last_seen - other.last_seen);
    if (!oldest || this.sweptUntil - oldest.last_seen < goneMs) return false;
    await venueRepository.delete(transaction, oldest.id);
    return listed.delete(oldest.id);
  }
}

function isClosed({ closes_at: closesAt, opens_at: opensAt }: VenueRow, now: number): boolean {
  return closesAt !== null && opensAt !== null && now >= closesAt && now < opensAt;
}

/** A night counts as no silence: the first report of a day is due when the venue opens. */
function isSilent(row: VenueRow, now: number): boolean {
  const dueFrom = row.opens_at !== null && now >= row.opens_at ? row.opens_at : row.last_seen;
  return now - dueFrom >= silentMs && !isClosed(row, now);
}

/** A silence ends a run. `before` is the row that this or another process has stored. */
function sinceOf(before: VenueRow | null | undefined, { since, last_seen: at }: Pick<VenueRow, 'since' | 'last_seen'>) {
  return before && !isSilent(before, at) ? before.since : since;
}

function toVenue(row: VenueRow, now: number): Venue {
  const { id, name, playing, version, is_signed_out: isSignedOut, since, last_seen: lastSeen } = row;
  return {
    ...{ id, name, version },
    state: isClosed(row, now) ? 'closed' : isSilent(row, now) ? 'silent' : 'open',
    playing,
    is_signed_out: isSignedOut === 1,
    since: new Date(since).toISOString(),
    last_seen: new Date(lastSeen).toISOString(),
  };
}
