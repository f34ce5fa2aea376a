import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningPostgres } from '#tests/support/database/postgres.ts';
import { createDatabase, dropDatabase } from '#tests/support/database/postgres-database.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { putHugeVideo } from '#tests/support/media/huge-video.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import type { DatabaseKind, Finding, Setting } from './attack.ts';
import { createFindings } from './findings.ts';
import type { Inspector } from './inspect.ts';
import { createInspector } from './inspect.ts';
import type { People } from './people.ts';
import { createPeople } from './people.ts';
import type { ProductProcess } from './product-process.ts';
import { createProductProcess } from './product-process.ts';
import { environments, sitePassword } from './settings.ts';

/** A started product, as an attacker finds it. */
export interface Target extends People {
  readonly database: DatabaseKind;
  readonly setting: Setting;
  readonly address: string;
  readonly port: number;
  readonly dataFolder: string;
  /** Its one library folder: twelve small videos, and `huge.mp4` of 200 MiB. */
  readonly library: string;
  /** The server of its database, and its own database there; null with SQLite. */
  readonly postgres: RunningPostgres | null;
  readonly databaseUrl: string | null;
  readonly process: ProductProcess;
  readonly inspector: Inspector;
  /** What was seen in answers and in the log since the last time. */
  takeObserved(): Finding[];
  /** Ends the product and removes what it has kept. */
  dispose(): Promise<void>;
}

/** Makes a library and a database, and starts the product on them. */
export async function startTarget(
  database: DatabaseKind,
  setting: Setting,
  postgres: RunningPostgres | null,
): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-abuse-'));
  const library = join(folder, 'library');
  const dataFolder = join(folder, 'data');
  putVideos(library, ...Array.from({ length: 12 }, (_, index) => `video-${index}.mp4`));
  putHugeVideo(library, 'huge.mp4');
  const port = await findFreePort();
  const created = postgres === null ? null : await createDatabase(postgres.url);

  let findings = createFindings();
  const inspector = createInspector({ expect: (...seen) => findings.expect(...seen), list: () => findings.list() }, [
    folder,
  ]);
  inspector.keepSecret(sitePassword);
  const product = createProductProcess(
    {
      ...{
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        NODE_ENV: 'production',
      },
      ...{
        HOST: '127.0.0.1',
        PORT: String(port),
        DATA_DIR: dataFolder,
        LIBRARY_DIRS: library,
        FFMPEG_PATH: '/none',
        LOG_LEVEL: 'info',
        // A machine that is busy with something else is no attack.
        OVERLOAD: 'endure',
      },
      ...(created === null ? {} : { DATABASE_URL: created.url }),
      ...environments[setting],
    },
    inspector.logLine,
  );
  const dispose = async () => {
    await product.end('SIGKILL');
    if (postgres !== null && created !== null) await dropDatabase(postgres.url, created.name);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await product.start();
  } catch (error) {
    await dispose();
    throw error;
  }

  const address = `${setting === 'secure' ? 'https' : 'http'}://127.0.0.1:${port}`;
  const takeObserved = () => {
    const observed = findings.list();
    findings = createFindings();
    return observed;
  };
  const parts = {
    database,
    setting,
    address,
    port,
    dataFolder,
    library,
    postgres,
    databaseUrl: created?.url ?? null,
    process: product,
    inspector,
    takeObserved,
    dispose,
  };
  return { ...parts, ...createPeople(parts) };
}
