import { openSync, readFileSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { constants, setPriority } from 'node:os';
import { notConfined } from '../program-end.ts';
import { restrictFiles } from './landlock.ts';
import { becomeOwnUser } from './own-user.ts';
import type { Architecture } from './seccomp.ts';
import { buildSeccompFilter } from './seccomp.ts';
import {
  execute,
  exitNow,
  forbidNewPrivileges,
  inheritOnly,
  installSeccompFilter,
  limitResources,
  putAt,
  restoreSignals,
  runWhenIdle,
} from './system-calls.ts';

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
  setPriority(constants.priority.PRIORITY_LOW);
  if (order.whenIdle) runWhenIdle();
  limitResources(order);
  return execute(program, args) === constants.errno.ENOENT ? 127 : 126;
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
