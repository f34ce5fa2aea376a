import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

/** A package of the npm registry that is used as a file, not as a dependency. */
export interface NpmTarball {
  readonly name: string;
  readonly version: string;
  /** `sha512-…`, as the registry and lock files write it. */
  readonly integrity: string;
}

/** Takes what is needed out of the unpacked `packageFolder` into `target`, an empty folder. */
export type Arrange = (packageFolder: string, target: string) => Promise<void>;

/**
 * The folder that `arrange` filled from a tarball: fetched by `npm pack` at the first call on this machine and kept
 * outside the dependency tree. The folder appears by one rename, so an interrupted run leaves nothing half done and two
 * runs at once do not disturb each other.
 */
export async function unpackOnce(tarball: NpmTarball, arrange: Arrange): Promise<string> {
  const cache = await openCache();
  const folder = join(cache, `${tarball.name.replace('/', '-')}-${tarball.version}`);
  if (await exists(folder)) return folder;
  const workshop = await mkdtemp(join(cache, '.unpacking-'));
  try {
    const target = join(workshop, 'ready');
    await mkdir(target);
    await run('tar', ['-xzf', await fetchTarball(tarball, workshop), '-C', workshop]);
    await arrange(join(workshop, 'package'), target);
    await rename(target, folder).catch((error) => acceptEarlierRun(error, folder));
    return folder;
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** Writes what `from` holds in brotli to `to`: a program, executable. */
export async function expandProgram(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode: 0o755 }));
}

/** Unpacks a brotli-packed tar (`….tar.br`) into an existing folder. */
export async function expandArchive(from: string, folder: string): Promise<void> {
  const archive = from.replace(/\.br$/, '');
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(archive));
  await run('tar', ['-xf', archive, '--no-same-owner', '-C', folder]);
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function openCache(): Promise<string> {
  const wanted = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'fourfold');
  const cache = await mkdir(wanted, { recursive: true }).then(
    () => wanted,
    () => join(tmpdir(), `fourfold-cache-${userInfo().uid}`),
  );
  await mkdir(cache, { recursive: true, mode: 0o700 });
  return cache;
}

async function fetchTarball({ name, version, integrity }: NpmTarball, folder: string): Promise<string> {
  console.log(`Fetching ${name}@${version} from the npm registry (once).`);
  const [program, ...before] = npmCommand();
  const values = [...before, 'pack', `${name}@${version}`, '--pack-destination', folder, '--loglevel=error'];
  await run(program, values, { cwd: folder, env: environmentForNpm() }).catch((error: Error) => {
    throw new Error(`${name}@${version} could not be fetched: ${error.message}`);
  });
  const file = (await readdir(folder)).find((entry) => entry.endsWith('.tgz'));
  if (file === undefined) throw new Error(`npm pack left no tarball of ${name}@${version}`);
  const found = await hash(join(folder, file));
  if (found !== integrity)
    throw new Error(`${name}@${version} is not the tarball that was expected: ${found} instead of ${integrity}`);
  return join(folder, file);
}

/** The npm that runs this script, where one does: it need not be on the PATH. */
function npmCommand(): [string, ...string[]] {
  const running = process.env.npm_execpath;
  return running?.endsWith('js') ? [process.execPath, running] : ['npm'];
}

/** A nested npm must not take this run's script, package and flags for its own. */
function environmentForNpm(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([key]) => !/^npm_(lifecycle|package|command|config_(dry_run|json|pack_destination))/.test(key),
  );
  return { ...Object.fromEntries(inherited), NO_UPDATE_NOTIFIER: '1' };
}

async function hash(file: string): Promise<string> {
  const digest = createHash('sha512');
  await pipeline(createReadStream(file), digest);
  return `sha512-${digest.digest('base64')}`;
}

async function acceptEarlierRun(error: unknown, folder: string): Promise<void> {
  if (!(await exists(folder))) throw error;
}

/** Runs a program to its end; what it says goes to this process's error stream. Throws when it fails. */
export async function run(
  program: string,
  values: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const child = spawn(program, values, { ...options, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${basename(program)} ended with code ${code}`)),
    );
  });
}
