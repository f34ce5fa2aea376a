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
import { systemCalls } from './system-calls.ts';

/** Landlock access rights: linux/landlock.h, `LANDLOCK_ACCESS_FS_*`. */
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
/**
 * Control of device files. Landlock knows this right since version 5, and does not restrict it
 * before.
 */
const deviceControl = 1n << 15n;
/** All rights of version 3, and from version 5 on the right for device files. */
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

/**
 * Lower versions do not prevent truncating a file that may be read. Version 3 came with Linux 6.2.
 */
const minVersion = 3;
/** `O_PATH` refers to a file without opening it, so it needs no permissions on it. */
const pathOnly = 0x20_0000;

interface FileRules {
  /** Descriptor of a file that may be read. */
  input: number | null;
  /** Files, and folders with their content. A path that does not exist is skipped. */
  executable: readonly string[];
  readable: readonly string[];
  /** Device files that may be read, written and controlled. */
  devices: readonly string[];
  /** A folder whose content may be read, written and removed. */
  folder: string;
}

/**
 * Denies this process and its descendants all other files, TCP, and, if the kernel supports it,
 * signals and abstract sockets to processes outside.
 * @throws if the kernel has no Landlock, or too old a version
 */
function restrictFiles({ input, executable, readable, devices, folder }: FileRules): void {
  const version = systemCalls.landlockVersion();
  if (version < minVersion) throw new Error(`Landlock: version ${version}`);
  const ruleset = systemCalls.createRuleset(attributesOf(version));
  if (input !== null) systemCalls.allowBeneath(ruleset, input, right.readFile);
  for (const path of executable) allowPath(ruleset, path, right.execute | right.readFile | right.readFolder);
  for (const path of readable) allowPath(ruleset, path, right.readFile);
  const deviceRights = right.readFile | right.writeFile | (version >= 5 ? deviceControl : 0n);
  for (const path of devices) allowPath(ruleset, path, deviceRights);
  if (devices.length > 0) allowPath(ruleset, deviceFacts, right.readFile | right.readFolder);
  allowPath(ruleset, '/dev/null', right.readFile | right.writeFile);
  allowPath(ruleset, folder, folderRights);
  systemCalls.restrictSelf(ruleset);
}

/**
 * The denied actions: rights on files; binding and connecting TCP sockets (version 4); abstract
 * sockets and signals beyond this sandbox (version 6).
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
  systemCalls.allowBeneath(ruleset, descriptor, isFolder ? rights : rights & ofFiles);
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

/** `CAP_DAC_READ_SEARCH` ignores the read permissions of files. */
const readAll = 1 << 2;

/**
 * Changes from root to a user without rights. If that user cannot read a needed file (a private
 * video, an ffmpeg in root's home), it keeps the capability to read, and Landlock alone decides
 * what it may read.
 * @param folder is given to the new user
 * @param devices the new user joins the groups of these files, as their modes allow nobody else
 */
function becomeOwnUser(folder: string, needed: readonly string[], devices: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const isOther = changeUser(folder, devices);
  systemCalls.setCapabilities(isOther && !needed.every(isReadable) ? readAll : 0);
}

/**
 * False if the user cannot be changed, because root in a container may lack this capability, or the
 * namespace has no second user. The process then stays root, without capabilities.
 */
function changeUser(folder: string, devices: readonly string[]): boolean {
  try {
    chownSync(folder, sandboxUser, sandboxUser);
    systemCalls.retainCapabilities();
    process.setgroups?.(groupsOf(devices));
    process.setgid?.(sandboxUser);
    process.setuid?.(sandboxUser);
    return true;
  } catch {
    return false;
  }
}

/** The groups of the devices, without root's. */
function groupsOf(devices: readonly string[]): number[] {
  const groups = devices.flatMap((device) => statSync(device, { throwIfNoEntry: false })?.gid ?? []);
  return [...new Set(groups)].filter((group) => group !== 0);
}

/**
 * Whether the user may read a path, regardless of capabilities. A missing file counts as readable.
 */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

/** The launcher's order, as JSON on its standard input. */
export interface LaunchOrder {
  /** Absolute path. */
  program: string;
  args: readonly string[];
  /** Further files and folders that the program may read and execute. */
  executable: readonly string[];
  /** Absolute path of its working folder. */
  folder: string;
  /** Path of the input; `inherited` for descriptor 4; null without an input. */
  input: string | 'inherited' | null;
  /** Device files that the program may use. */
  devices: readonly string[];
  /** Whether it runs only when a processor is idle. */
  whenIdle: boolean;
  processorSeconds: number;
  /** Limit of the address space. The launcher sets it, because Node needs more. */
  memoryBytes: number;
  /** Limit of each written file. The launcher sets it, because Node stores its compile cache. */
  fileBytes: number;
  /** Limit of processes and threads, including all others of the same user. */
  processes: number;
}

const inputDescriptor = 4;

/** Confines this process and replaces it with the program. @returns an exit code if that fails */
function launch(order: LaunchOrder): number {
  const { program, args, executable, devices } = order;
  const input = order.input === null ? null : inputDescriptor;
  systemCalls.putAt(openSync('/dev/null', 'r'), 0);
  if (input !== null && order.input !== 'inherited') systemCalls.putAt(openSync(order.input ?? '', 'r'), input);
  process.chdir(order.folder);
  becomeOwnUser('.', [program, ...executable, ...(input === null ? [] : [`/proc/self/fd/${input}`])], devices);
  systemCalls.forbidNewPrivileges();
  restrictFiles({
    input,
    executable: [program, ...executable],
    readable: ['/dev/zero', '/dev/random', '/dev/urandom'],
    devices,
    folder: '.',
  });
  systemCalls.inheritOnly([0, 1, 2, ...(input === null ? [] : [input])]);
  systemCalls.restoreSignals();
  systemCalls.installSeccompFilter(buildSeccompFilter(architecture(), process.pid));
  setPriority(systemConstants.priority.PRIORITY_LOW);
  if (order.whenIdle) systemCalls.runWhenIdle();
  systemCalls.limitResources(order);
  return systemCalls.execute(program, args) === systemConstants.errno.ENOENT ? 127 : 126;
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

// The compile cache has to be written here: neither `execve` nor `_exit` does it.
flushCompileCache();
systemCalls.exitNow(run());
