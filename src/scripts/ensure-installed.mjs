// Installs the dependencies when they are missing or out of date. It runs on the Node of the host before anything is
// installed, so it is plain JavaScript without dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..', '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.installed');
const lockFolder = join(root, '.build', 'installing');
const staleLockMs = 10 * 60_000;

/** The stamp of an installation: of its lock file and platform. An interrupted `npm ci` leaves none. */
function readWantedStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(lock).update(`${process.platform} ${process.arch}`).digest('hex');
}

/** @param {string} wanted */
function isInstalled(wanted) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
}

/** Lets one process install while others wait. The lock of a killed process is taken over after ten minutes. */
async function takeLock() {
  mkdirSync(join(root, '.build'), { recursive: true });
  for (let told = false; ; told = true) {
    try {
      mkdirSync(lockFolder);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
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

/** The environment without the variables of the outer npm, which the inner npm would read as settings. */
function readCleanEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(lifecycle|package|command|config_(omit|include|production))/.test(name),
    ),
  );
}

function install() {
  // No install script has to run: the packages include their prebuilt parts.
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

/** Sets up the commit hook, unless this is no git checkout or hooks are set already. */
function offerHooks() {
  const git = (/** @type {string[]} */ ...words) => spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  if (!existsSync(join(root, '.git')) || git('config', 'core.hooksPath').stdout?.trim()) return;
  git('config', 'core.hooksPath', '.githooks');
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Ends with words for what a person can mend.
 * @param {unknown} error
 */
function endUnwritable(error) {
  const code = codeOf(error);
  const advice = code === 'ENOSPC' ? 'Make room on its disk.' : 'Run this as its owner once, or give it to this user.';
  console.error(`Fourfold: dependencies are missing, and ${root} cannot be written to (${code}). ${advice}`);
  process.exit(1);
}

const wanted = readWantedStamp();
if (!isInstalled(wanted)) {
  await takeLock().catch(endUnwritable);
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
