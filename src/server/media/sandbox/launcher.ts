import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setPriority, constants as systemConstants } from 'node:os';
import { deviceFacts, notConfined, sandboxUser } from './confinement.ts';
import type { Architecture } from './seccomp.ts';
import { buildSeccompFilter } from './seccomp.ts';
import {
  allowBeneath,
  createRuleset,
  execute,
  exitNow,
  forbidNewPrivileges,
  inheritOnly,
  installSeccompFilter,
  landlockVersion,
  limitResources,
  putAt,
  restoreSignals,
  restrictSelf,
  retainCapabilities,
  runWhenIdle,
  setCapabilities,
} from './system-calls.ts';

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

interface FileRules {
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
function restrictFiles({ input, executable, readable, devices, folder }: FileRules): void {
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

/** `CAP_DAC_READ_SEARCH`: modes of files keep nobody from reading. */
const readAll = 1 << 2;

/**
 * Makes root a user without rights. Only where that one could not read something that it needs (the video of somebody
 * who shares it with nobody, an ffmpeg below root's home) it keeps the right to read, and what it may read is decided
 * by Landlock alone.
 * @param folder becomes its own
 * @param devices whose groups it belongs to: their modes let nobody else use them
 */
function becomeOwnUser(folder: string, needed: readonly string[], devices: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const isOther = changeUser(folder, devices);
  setCapabilities(isOther && !needed.every(isReadable) ? readAll : 0);
}

/**
 * Root of a container may have been left without this right; the namespace may know no second user. Then it stays root,
 * without its capabilities.
 */
function changeUser(folder: string, devices: readonly string[]): boolean {
  try {
    chownSync(folder, sandboxUser, sandboxUser);
    retainCapabilities();
    process.setgroups?.(groupsOf(devices));
    process.setgid?.(sandboxUser);
    process.setuid?.(sandboxUser);
    return true;
  } catch {
    return false;
  }
}

/** Those of root alone are left out. */
function groupsOf(devices: readonly string[]): number[] {
  const groups = devices.flatMap((device) => statSync(device, { throwIfNoEntry: false })?.gid ?? []);
  return [...new Set(groups)].filter((group) => group !== 0);
}

/** To the user, whatever capabilities there are. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

/** What the launcher is told, as JSON on its standard input. */
export interface LaunchOrder {
  /** Absolute. */
  program: string;
  args: readonly string[];
  /** Further files and folders that it may read and execute. */
  executable: readonly string[];
  /** Its working folder, absolute. */
  folder: string;
  /** Where its input is found; descriptor 4 where it is inherited. Null: it has none. */
  input: string | 'inherited' | null;
  /** Device files that it may use. */
  devices: readonly string[];
  /** Whether it gets only the processor time that nobody else wants. */
  whenIdle: boolean;
  processorSeconds: number;
  /** Of address space. Set here: a Node process alone would need more. */
  memoryBytes: number;
  /** Of each file that it writes. Set here: Node stores what it has compiled. */
  fileBytes: number;
  /** With its threads, and all else that its user runs. */
  processes: number;
}

const inputDescriptor = 4;

/** A process of its own, which confines itself and then becomes the program. */
function launch(order: LaunchOrder): number {
  const { program, args, executable, devices } = order;
  const input = order.input === null ? null : inputDescriptor;
  putAt(openSync('/dev/null', 'r'), 0);
  if (input !== null && order.input !== 'inherited') putAt(openSync(order.input ?? '', 'r'), input);
  process.chdir(order.folder);
  becomeOwnUser('.', [program, ...executable, ...(input === null ? [] : [`/proc/self/fd/${input}`])], devices);
  forbidNewPrivileges();
  restrictFiles({
    input,
    executable: [program, ...executable],
    readable: ['/dev/zero', '/dev/random', '/dev/urandom'],
    devices,
    folder: '.',
  });
  inheritOnly([0, 1, 2, ...(input === null ? [] : [input])]);
  restoreSignals();
  installSeccompFilter(buildSeccompFilter(architecture(), process.pid));
  setPriority(systemConstants.priority.PRIORITY_LOW);
  if (order.whenIdle) runWhenIdle();
  limitResources(order);
  return execute(program, args) === systemConstants.errno.ENOENT ? 127 : 126;
}

function architecture(): Architecture {
  if (process.arch === 'x64' || process.arch === 'arm64') return process.arch;
  throw new Error(`No system calls are known for ${process.arch}.`);
}

function run(): number {
  try {
    return launch(JSON.parse(readFileSync(0, 'utf8')) as LaunchOrder);
  } catch (error) {
    writeSync(2, `${error}\n`);
    return notConfined;
  }
}

// Neither way in which this process goes on would do that.
flushCompileCache();
exitNow(run());
