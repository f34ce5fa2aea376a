import type { Kysely, Transaction } from 'kysely';
import type { AccountTables } from './tables/account-tables.ts';
import type { EncodingTables } from './tables/encoding-tables.ts';
import type { LibraryTables } from './tables/library-tables.ts';
import type { PerformanceTables } from './tables/performance-tables.ts';
import type { SetTables } from './tables/set-tables.ts';
import type { SiteTables } from './tables/site-tables.ts';
import type { TagTables } from './tables/tag-tables.ts';
import type { UploadTables } from './tables/upload-tables.ts';

export interface Tables
  extends AccountTables,
    LibraryTables,
    EncodingTables,
    PerformanceTables,
    SetTables,
    SiteTables,
    TagTables,
    UploadTables {}

/** The reader, or the transaction that a repository's function is part of. */
export type Executor = Kysely<Tables> | Transaction<Tables>;
