import { join } from 'node:path';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { Executor } from '#server/database/tables.ts';
import { availabilityRepository } from '#server/features/library/availability-repository.ts';
import { encodingRepository } from '#server/features/videos/encoding-repository.ts';
import type { ServerUnderTest } from '../server-under-test.ts';

export const gridSize = { width: 960, height: 540 };
export const hdSize = { width: 1920, height: 1080 };

/** Gives the video of a path an encoding whose file is these bytes. @returns the name of its content */
export async function storeEncoding(
  { services }: Pick<ServerUnderTest, 'services'>,
  path: string,
  rendition: Rendition,
  bytes: Buffer,
  { width, height } = rendition === 'grid' ? gridSize : hdSize,
): Promise<string> {
  const stored = await services.derivedFiles.put(bytes, '.mp4');
  await services.idSets.write(async (transaction, changes) => {
    const { number, ...file } = await findFile(transaction, path);
    const facts = { ...stored, width, height, made_at: services.clock.now(), used_at: services.clock.now() };
    await encodingRepository.put(transaction, { video_number: number, ...file, rendition, ...facts });
    await availabilityRepository.alignEncoded(transaction, changes, number);
  });
  return stored.content;
}

/** Where a derived file lies on the disk. */
export function derivedPath(
  { services }: Pick<ServerUnderTest, 'services'>,
  content: string,
  extension: string,
): string {
  return join(services.folders.derived, content.slice(0, 2), `${content}${extension}`);
}

/** Gives the video of a path a sheet of stills. @returns the name of its content */
export async function storeStoryboard({ services }: ServerUnderTest, path: string, webp: Buffer): Promise<string> {
  const stored = await services.derivedFiles.put(webp, '.webp');
  await services.idSets.write(async (transaction, changes) => {
    const { number, ...file } = await findFile(transaction, path);
    const tiles = { columns: 10, rows: 2, tile_width: 160, tile_height: 90, interval_ms: 2_500 };
    await encodingRepository.putStoryboard(transaction, {
      video_number: number,
      ...file,
      ...stored,
      ...tiles,
      made_at: 1,
    });
    await availabilityRepository.alignEncoded(transaction, changes, number);
  });
  return stored.content;
}

function findFile(executor: Executor, path: string) {
  return executor
    .selectFrom('videos')
    .select(['number', 'size', 'modified_us'])
    .where('path', '=', path)
    .executeTakeFirstOrThrow();
}
