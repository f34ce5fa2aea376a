import { setTimeout as rest } from 'node:timers/promises';
import type { FolderChannels as FolderChannelsReply } from '#contract/entities/tag.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { Revisions } from '../../../http/pipeline/revision.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';
import type { Ids } from '../../../ids.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { alignFolderChannels } from './folder-alignment.ts';
import { folderChannelRepository } from './folder-channel-repository.ts';
import { FolderChannelSnapshot } from './folder-channels.ts';

interface FolderChannelSwitchDeps {
  database: Database;
  idSets: Pick<IdSets, 'write'>;
  queue: JobQueue;
  ids: Ids;
  clock: Clock;
  revisions: Pick<Revisions, 'forget'>;
}

const kind = 'folder-channels';

/** The switch by which administrators decide whether first folders become channels. */
export class FolderChannelSwitch {
  private readonly deps: FolderChannelSwitchDeps;

  constructor(deps: FolderChannelSwitchDeps) {
    this.deps = deps;
    deps.queue.register({ kind, lane: 'light', attemptsMax: 3, run: ({ signal }) => this.align(signal) });
  }

  /** Called before the first scan. A decision that was made before stays. */
  async decide(): Promise<void> {
    const { database, clock } = this.deps;
    await database.write((transaction) => folderChannelRepository.decideSwitch(transaction, clock.now()));
  }

  async read(): Promise<FolderChannelsReply> {
    const channels = await FolderChannelSnapshot.read(this.deps.database.reader);
    return { enabled: channels.isEnabled, channels: channels.activeTags().size };
  }

  /** Changes the switch. Channels and links, perhaps half a million, follow in the background. */
  async update(actorId: string, isEnabled: boolean): Promise<FolderChannelsReply> {
    const { database, queue, ids, clock, revisions } = this.deps;
    await database.write(async (transaction) => {
      // The lock comes first: a transaction that makes folder links has either ended, or reads the
      // switch after this one.
      await database.dialect.holdSetLog(transaction, null);
      if ((await folderChannelRepository.readSwitch(transaction)) === isEnabled) return;
      await folderChannelRepository.writeSwitch(transaction, isEnabled, clock.now());
      const detail = isEnabled ? 'on' : 'off';
      await recordActivity(
        transaction,
        { actorId, kind: 'settings_changed', subject: 'Channels from folders', detail },
        clock.now(),
      );
      await bumpRevision(transaction, 'tags');
      // The subject is unique, because a running job may have passed the part that this one has to
      // do.
      await queue.addWithin(transaction, [{ kind, subject: ids.short() }]);
    });
    revisions.forget();
    queue.wake();
    return this.read();
  }

  private async align(signal: AbortSignal): Promise<void> {
    const { database, ids, clock, revisions } = this.deps;
    const write = this.writeInTurn();
    await alignFolderChannels({ reader: database.reader, write, ids }, { now: clock.now(), signal });
    revisions.forget();
  }

  /** Rests after each write for as long as the write took: nobody waits for this work. */
  private writeInTurn(): WriteWithSets {
    const { idSets, clock } = this.deps;
    return async (work) => {
      let begun = 0;
      const result = await idSets.write((transaction, changes) => {
        // The time starts here: waiting for the lock delays nobody.
        begun = clock.elapsed();
        return work(transaction, changes);
      });
      await rest(clock.elapsed() - begun);
      return result;
    };
  }
}
