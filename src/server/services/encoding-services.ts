import type { Env } from '../env.ts';
import type { EncodingsDeps } from '../features/encodings/encodings.ts';
import { Encodings } from '../features/encodings/encodings.ts';
import { alignEncoded } from '../features/library/availability-repository.ts';
import type { Foundations } from '../foundations.ts';
import { DerivedFiles } from '../storage/derived-files.ts';
import { DiskStorage } from '../storage/disk-storage.ts';
import type { FileCalls } from '../storage/file-calls.ts';

type EncodingTools = Pick<EncodingsDeps, 'encoder' | 'diskSpace' | 'betweenMs'>;

/** What tests put in place of the real thing. */
export interface EncodingOverrides {
  files?: FileCalls;
  tools?: Partial<EncodingTools>;
}

/** What derived files lie in, and what makes them. */
export interface EncodingServices {
  derivedFiles: DerivedFiles;
  encodings: Encodings;
}

export function createEncodingServices(
  env: Env,
  { database, sweepTime, idSets, clock, log, jobs, folders, ids }: Foundations,
  tools: EncodingTools & Pick<EncodingsDeps, 'places'>,
  overrides: EncodingOverrides = {},
): EncodingServices {
  const derivedFiles = new DerivedFiles(new DiskStorage(folders.derived, overrides.files), ids);
  const encodings = new Encodings({
    ...{ database, sweepTime, idSets, clock, log, alignEncoded },
    ...tools,
    ...overrides.tools,
    files: derivedFiles,
    queue: jobs,
    configuredBytes: env.derivedBytes,
    folder: env.dataFolder,
  });
  return { derivedFiles, encodings };
}
