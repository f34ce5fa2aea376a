import { statSync } from 'node:fs';
import type { TestSequencer, TestSpecification } from 'vitest/node';

/**
 * Files that take half a minute and more, the longest first. What begins last keeps one worker busy while the others
 * have nothing left, and a fresh clone does not know how long its tests take.
 */
const longest = [
  'site/history.',
  'encode/encoder.',
  'feed/rounds.',
  'id-sets/id-sets.both',
  'site/nodes.postgres',
  'ffmpeg/ffmpeg.',
  'database/restarts.',
  'storage/store-uploads.',
  'storage/s3-store.',
  'library/poster-tools.',
  'site/process.',
  'site/process-faults.',
  'site/rolling-restarts.',
  'storage/store-nodes.',
  'site/last-release.',
];

/** The order of test files: the longest, then project by project the largest. */
export class LongestFirst implements TestSequencer {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files
      .map((file) => ({ file, rank: rankOf(file), bytes: statSync(file.moduleId).size }))
      .toSorted(
        (one, other) =>
          one.rank - other.rank ||
          one.file.project.name.localeCompare(other.file.project.name) ||
          other.bytes - one.bytes,
      )
      .map(({ file }) => file);
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.includes(name));
  return rank < 0 ? longest.length : rank;
}
