import { open } from 'node:fs/promises';
import type { Config } from '#contract/entities/feed.ts';
import { limits } from '#contract/limits.ts';
import { textFiles } from '#contract/rules/site-settings.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Env } from '../../env.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import type { LiveSettings } from '../../live-settings.ts';
import type { SharedTexts } from '../../nodes/shared-texts.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { siteRepository } from './site-repository.ts';

export interface ConfigSources {
  database: Database;
  env: Env;
  version: string;
}

export async function readSiteConfig({ database, env, version }: ConfigSources): Promise<Config> {
  const { switchInterval, oneIn } = await siteRepository.readNumbers(database.reader);
  return {
    video_settings: { switch_interval_seconds: switchInterval },
    upload: {
      max_bytes: limits.uploadBytes,
      extensions: [...limits.uploadExtensions],
      eula_version: env.agreementVersion,
      chunk_mb: env.uploadChunkMb ?? null,
      allowed: env.uploads,
    },
    analytics:
      env.analytics === null ? null : { measurement_id: env.analytics.measurementId, endpoint: env.analytics.endpoint },
    features: {
      billing: env.billing,
      registration: env.isRegistrationOpen,
      tag_editing: env.tagEditing,
      watched: env.remembersWatched,
    },
    measured: { one_in: oneIn },
    version,
  };
}

export interface ConfigKeepers {
  database: Database;
  clock: Clock;
  revisions: Revisions;
}

export async function updateSwitchInterval(
  { database, clock, revisions }: ConfigKeepers,
  actorId: string,
  seconds: number,
): Promise<void> {
  await database.write(async (transaction) => {
    await siteRepository.writeSwitchInterval(transaction, seconds, clock.now());
    const changed = {
      actorId,
      kind: 'settings_changed',
      subject: 'Switch interval',
      detail: `${seconds} seconds`,
    } as const;
    await recordActivity(transaction, changed, clock.now());
    await bumpRevision(transaction, 'config');
  });
  revisions.forget();
}

const maxOperatorTextBytes = 256 * 1024;

/**
 * The operator's text, else the one that administrators have set, else the one that ships with the
 * product. Longer files are cut.
 */
export async function readOperatorText(
  { texts, settings }: { texts: Pick<SharedTexts, 'read'>; settings: Pick<LiveSettings, 'textOf'> },
  name: keyof typeof textFiles,
  shippedFile: string,
): Promise<string> {
  const given = await texts.read(textFiles[name]).catch(() => null);
  return given ?? settings.textOf(name) ?? (await readText(shippedFile)) ?? '';
}

async function readText(file: string): Promise<string | null> {
  try {
    await using handle = await open(file);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxOperatorTextBytes), { position: 0 });
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return null;
  }
}
