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
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = longest.findIndex((name) => moduleId.includes(name));
      return rank < 0 ? longest.length : rank;
    };
    const facts = new Map(files.map((file) => [file, { rank: rankOf(file), bytes: statSync(file.moduleId).size }]));
    const none = { rank: 0, bytes: 0 };
    return files.toSorted((one, other) => {
      const [{ rank, bytes }, its] = [facts.get(one) ?? none, facts.get(other) ?? none];
      return rank - its.rank || one.project.name.localeCompare(other.project.name) || its.bytes - bytes;
    });
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}
