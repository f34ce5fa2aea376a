import { spawnSync } from 'node:child_process';
import { run } from './npm-tarball.ts';

/**
 * Makes sure that Debian packages are there: as root they are installed, others hear which are missing.
 * @throws when one is missing in the end
 */
export async function ensurePackages(names: readonly string[]): Promise<void> {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const command = `apt-get install --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0) throw new Error(`packages are missing; as root: ${command}`);
  console.log(`Installing ${missing.join(' ')} by apt-get (once).`);
  await run('apt-get', ['update', '--quiet']);
  await run('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...missing], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' });
  return /^Status: .* installed$/m.test(stdout);
}
