// Installs the dependencies when they are missing or out of date. Runs on whatever Node the host has, before anything
// is installed: no dependency, no TypeScript.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..', '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.installed');
const lockFolder = join(root, '.build', 'installing');
const staleLockMs = 10 * 60_000;

/** What a finished installation belongs to. An interrupted `npm ci` leaves a partial tree without it. */
function readWantedStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(lock).update(`${process.platform} ${process.arch}`).digest('hex');
}

/** @param {string} wanted */
function isInstalled(wanted) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
}

/** Two first starts at once: one installs, the other waits for it. A lock left by a killed process is taken over. */
async function takeLock() {
  mkdirSync(join(root, '.build'), { recursive: true });
  for (let told = false; ; told = true) {
    try {
      mkdirSync(lockFolder);
      return;
    } catch {
      if (lockAgeMs() > staleLockMs) rmSync(lockFolder, { recursive: true, force: true });
      if (!told) console.log('Fourfold: another process is installing, waiting for it …');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

function lockAgeMs() {
  try {
    return Date.now() - statSync(lockFolder).mtimeMs;
  } catch {
    return 0;
  }
}

/** npm inside npm: the outer run's own variables would be read as the inner one's settings. */
function readCleanEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(lifecycle|package|command|config_(omit|include|production))/.test(name),
    ),
  );
}

function install() {
  // Prebuilt parts come inside the packages, so no package's install script needs to run.
  const words = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, ...words]] : ['npm', words];
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env: readCleanEnvironment() }).status ?? 1;
}

/** The hook that keeps commits formatted. Does nothing outside a git checkout, or where hooks are set already. */
function offerHooks() {
  const git = (/** @type {string[]} */ ...words) => spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  if (!existsSync(join(root, '.git')) || git('config', 'core.hooksPath').stdout?.trim()) return;
  git('config', 'core.hooksPath', '.githooks');
}

const wanted = readWantedStamp();
if (!isInstalled(wanted)) {
  await takeLock();
  try {
    if (!isInstalled(wanted)) {
      const began = Date.now();
      console.log('Fourfold: installing dependencies …');
      const status = install();
      if (status !== 0) {
        console.error(`Fourfold: installing failed (npm ended with ${status}). The lines above say why.`);
        process.exit(status);
      }
      writeFileSync(stampFile, wanted);
      offerHooks();
      console.log(`Fourfold: dependencies installed in ${((Date.now() - began) / 1000).toFixed(0)} s.`);
    }
  } finally {
    rmSync(lockFolder, { recursive: true, force: true });
  }
}
