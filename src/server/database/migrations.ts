import type { Migration } from './migration.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { idSets } from './migrations/0002-id-sets.ts';
import { jobs } from './migrations/0003-jobs.ts';
import { library } from './migrations/0004-library.ts';
import { accounts } from './migrations/0010-accounts.ts';
import { keptAnswers } from './migrations/0011-kept-answers.ts';
import { proofs } from './migrations/0012-proofs.ts';
import { operators } from './migrations/0013-operators.ts';
import { search } from './migrations/0014-search.ts';
import { curators } from './migrations/0015-curators.ts';
import { uploads } from './migrations/0016-uploads.ts';
import { removedUploads } from './migrations/0017-removed-uploads.ts';
import { performance } from './migrations/0018-performance.ts';
import { failedUploads } from './migrations/0019-failed-uploads.ts';
import { encodings } from './migrations/0020-encodings.ts';
import { uploadRights } from './migrations/0021-upload-rights.ts';
import { servedSubtitles } from './migrations/0022-served-subtitles.ts';
import { wholeLists } from './migrations/0023-whole-lists.ts';
import { alerts } from './migrations/0024-alerts.ts';
import { givenUpFiles } from './migrations/0025-given-up-files.ts';
import { makersOfChannels } from './migrations/0026-makers-of-channels.ts';
import { venues } from './migrations/0027-venues.ts';
import { videoDetails } from './migrations/0028-video-details.ts';
import { reports } from './migrations/0029-reports.ts';
import { channelsForSome } from './migrations/0030-channels-for-some.ts';
import { favourites } from './migrations/0031-favourites.ts';
import { settingChanges } from './migrations/0032-setting-changes.ts';
import { duplicates, keptDuplicates } from './migrations/0034-duplicates.ts';
import { watched } from './migrations/0035-watched.ts';
import { moreDetails } from './migrations/0036-more-details.ts';
import { audioEncodings } from './migrations/0037-audio-encodings.ts';
import { storedParts } from './migrations/0038-stored-parts.ts';
import { storeLibraries } from './migrations/0039-store-libraries.ts';
import { nodes } from './migrations/0040-nodes.ts';
import { peopleLog } from './migrations/0042-people-log.ts';

/** All migrations, in the order in which they are applied. */
export const migrations: readonly Migration[] = [
  foundation,
  idSets,
  jobs,
  library,
  accounts,
  keptAnswers,
  proofs,
  operators,
  search,
  curators,
  uploads,
  removedUploads,
  performance,
  failedUploads,
  encodings,
  uploadRights,
  servedSubtitles,
  wholeLists,
  alerts,
  givenUpFiles,
  makersOfChannels,
  venues,
  videoDetails,
  reports,
  channelsForSome,
  favourites,
  settingChanges,
  duplicates,
  watched,
  moreDetails,
  audioEncodings,
  storedParts,
  storeLibraries,
  nodes,
  keptDuplicates,
  peopleLog,
];
