import { open } from 'node:fs/promises';
import type { Config } from '#contract/entities/feed.ts';
import { limits } from '#contract/limits.ts';
import { textFiles } from '#contract/rules/site-settings.ts';
import type { Database } from '../../database/connection.ts';
import type { Env } from '../../env.ts';
import type { LiveSettings } from '../../live-settings.ts';
import type { SharedTexts } from '../../nodes/shared-texts.ts';
import { siteRepository } from './site-repository.ts';

export interface ConfigSources {
  database: Database;
  env: Env;
  version: string;
}

export async function readSiteConfig({ database, env, version }: ConfigSources): Promise<Config> {
  return {
    video_settings: { switch_interval_seconds: env.switchIntervalSeconds },
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
    measured: { one_in: await siteRepository.readOneIn(database.reader) },
    version,
  };
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
