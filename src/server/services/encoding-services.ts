import type { Env } from '../env.ts';
import type { EncodingsDeps } from '../features/encodings/encodings.ts';
import { Encodings } from '../features/encodings/encodings.ts';
import { alignEncoded } from '../features/library/availability-repository.ts';
import type { Foundations } from '../foundations.ts';
import type { FileCalls } from '../storage/file-calls.ts';

type EncodingTools = Pick<EncodingsDeps, 'encoder' | 'diskSpace'>;

/** What tests put in place of the real thing. */
export interface EncodingOverrides {
  files?: FileCalls;
  tools?: Partial<EncodingTools>;
}

export function createEncodings(
  env: Env,
  { database, idSets, clock, log, jobs }: Foundations,
  tools: EncodingTools & Pick<EncodingsDeps, 'places' | 'files'>,
): Encodings {
  return new Encodings({
    ...{ database, idSets, clock, log, alignEncoded },
    ...tools,
    queue: jobs,
    configuredBytes: env.derivedBytes,
    folder: env.dataFolder,
  });
}
