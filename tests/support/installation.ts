import { putVideos } from './media/videos.ts';
import { putPerson } from './people.ts';
import type { ServerProcess } from './processes/server-process.ts';
import { runServer } from './processes/server-process.ts';
import { startServer } from './server-under-test.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Two videos, an administrator and a database, which servers of their own processes run on, one after the other. */
export interface Installation {
  dataFolder: string;
  library: string;
  /** What `runServer` is given. */
  env: Record<string, string>;
  /** @returns once the library was looked through */
  run(more?: { env?: Record<string, string>; openFiles?: number }): Promise<InstalledServer>;
}

export interface InstalledServer extends ServerProcess {
  origin: string;
  /** Sets the interval between videos. @returns the status of the answer */
  write(seconds: number): Promise<number>;
  /** The interval between videos. */
  read(): Promise<number>;
  /** @returns the status of the answer */
  pick(): Promise<number>;
}

/** @param databaseUrl without: SQLite */
export async function makeInstallation(databaseUrl?: string): Promise<Installation> {
  const library = temporaryFolder();
  putVideos(library, 'a.mp4', 'b.mp4');
  const dataFolder = temporaryFolder();
  const env = {
    DATA_DIR: dataFolder,
    LIBRARY_DIRS: library,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const ends: (() => Promise<void> | void)[] = [];
  const server = await startServer({ library: [library], env }, (end) => ends.unshift(end));
  const { headers } = await putPerson(server, 'keeper', 'admin');
  for (const end of ends) await end();

  async function run(more: Parameters<Installation['run']>[0] = {}): Promise<InstalledServer> {
    const running = runServer({ ...env, ...more.env }, { openFiles: more.openFiles });
    const origin = await running.address();
    await running.says(/Looked through/);
    const call = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`${origin}${path}`, init);
      return { status: answer.status, body: await answer.text() };
    };
    return {
      ...running,
      origin,
      async write(seconds) {
        const body = JSON.stringify({ video_settings: { switch_interval_seconds: seconds } });
        return (
          await call('/api/config/update', {
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/json' },
            body,
          })
        ).status;
      },
      async read() {
        const config = JSON.parse((await call('/api/config')).body) as {
          video_settings: { switch_interval_seconds: number };
        };
        return config.video_settings.switch_interval_seconds;
      },
      pick: async () => (await call('/api/video/top-left')).status,
    };
  }

  return { dataFolder, library, env, run };
}
