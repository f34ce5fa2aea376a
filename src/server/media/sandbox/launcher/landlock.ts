import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { deviceFacts } from '../device-facts.ts';
import { allowBeneath, createRuleset, landlockVersion, restrictSelf } from './system-calls.ts';

/** linux/landlock.h, `LANDLOCK_ACCESS_FS_*`. */
const right = {
  execute: 1n << 0n,
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readFolder: 1n << 3n,
  removeFolder: 1n << 4n,
  removeFile: 1n << 5n,
  makeFolder: 1n << 7n,
  makeFile: 1n << 8n,
  truncate: 1n << 14n,
};
/** Controls of device files. Known since version 5, and before it not taken away. */
const deviceControl = 1n << 15n;
/** All that version 3 knows, and what came later: device files (version 5). */
const allRights = (version: number) => (1n << (version >= 5 ? 16n : 15n)) - 1n;
const folderRights =
  right.writeFile |
  right.readFile |
  right.readFolder |
  right.removeFolder |
  right.removeFile |
  right.makeFolder |
  right.makeFile |
  right.truncate;

/** Below it, a file that may be read can be truncated. Linux 6.2. */
const minVersion = 3;
/** `O_PATH`: names a file without opening it, so that rights on it are not asked for. */
const pathOnly = 0x20_0000;

export interface FileRules {
  /** Descriptor of a file that may be read. */
  input: number | null;
  /** Files, and folders with all that is in them. One that does not exist is passed over. */
  executable: readonly string[];
  readable: readonly string[];
  /** Device files that may be read, written and controlled. */
  devices: readonly string[];
  /** Whose contents may be read, written and removed. */
  folder: string;
}

/**
 * Takes from this process, and from all that it becomes, every file but these, TCP, and signals and abstract sockets to
 * others where the kernel knows how.
 * @throws where the kernel has no Landlock, or too old a one
 */
export function restrictFiles({ input, executable, readable, devices, folder }: FileRules): void {
  const version = landlockVersion();
  if (version < minVersion) throw new Error(`Landlock: version ${version}`);
  const ruleset = createRuleset(attributesOf(version));
  if (input !== null) allowBeneath(ruleset, input, right.readFile);
  for (const path of executable) allowPath(ruleset, path, right.execute | right.readFile | right.readFolder);
  for (const path of readable) allowPath(ruleset, path, right.readFile);
  const deviceRights = right.readFile | right.writeFile | (version >= 5 ? deviceControl : 0n);
  for (const path of devices) allowPath(ruleset, path, deviceRights);
  if (devices.length > 0) allowPath(ruleset, deviceFacts, right.readFile | right.readFolder);
  allowPath(ruleset, '/dev/null', right.readFile | right.writeFile);
  allowPath(ruleset, folder, folderRights);
  restrictSelf(ruleset);
}

/**
 * What is taken away: rights on files; binding and connecting by TCP (version 4); abstract sockets and signals beyond
 * this sandbox (version 6).
 */
function attributesOf(version: number): BigUint64Array {
  const files = allRights(version);
  if (version >= 6) return new BigUint64Array([files, 3n, 3n]);
  return new BigUint64Array(version >= 4 ? [files, 3n] : [files]);
}

function allowPath(ruleset: number, path: string, rights: bigint): void {
  const descriptor = openWhereItExists(path);
  if (descriptor === null) return;
  const isFolder = fstatSync(descriptor).isDirectory();
  const ofFiles = right.execute | right.writeFile | right.readFile | right.truncate | deviceControl;
  allowBeneath(ruleset, descriptor, isFolder ? rights : rights & ofFiles);
  closeSync(descriptor);
}

function openWhereItExists(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | pathOnly);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  }
}
