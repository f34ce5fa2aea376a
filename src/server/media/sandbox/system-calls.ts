import { constants } from 'node:fs';
import { constants as systemConstants } from 'node:os';
import koffi from 'koffi';

/*
 * System calls that Node does not offer, for the launcher alone: each changes the process for good. They run on the
 * calling thread; `execve` ends all others, so that what was set on this one holds for the whole program.
 */
const system = koffi.load(null);
const calls = {
  prctl: system.func('int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)'),
  capset: system.func('int capset(const void *header, const void *data)'),
  signal: system.func('void *signal(int signal, void *handler)'),
  setScheduler: system.func('int sched_setscheduler(int process, int policy, const void *parameters)'),
  setrlimit: system.func('int setrlimit(int resource, const void *limit)'),
  dup2: system.func('int dup2(int descriptor, int number)'),
  fcntl: system.func('int fcntl(int descriptor, int command, long argument)'),
  exit: system.func('void _exit(int code)'),
  execve: system.func('int execve(const char *file, const char **args, const char **environment)'),
  createRuleset: system.func('long syscall(long number, const void *attributes, size_t bytes, unsigned int flags)'),
  addRule: system.func('long syscall(long number, int ruleset, int type, const void *rule, unsigned int flags)'),
  restrictSelf: system.func('long syscall(long number, int ruleset, unsigned int flags)'),
  closeRange: system.func('long syscall(long number, unsigned int first, unsigned int last, unsigned int flags)'),
};

/** The same on every architecture: they are younger than the table that all of them share. */
const numbers = { closeRange: 436, createRuleset: 444, addRule: 445, restrictSelf: 446 };

function check(name: string, result: number): number {
  if (result < 0) throw new Error(`${name}: errno ${koffi.errno()}`);
  return result;
}

/**
 * Neither set-user-id programs nor file capabilities give this process anything from now on. Landlock and seccomp ask
 * for it.
 */
export function forbidNewPrivileges(): void {
  check('PR_SET_NO_NEW_PRIVS', calls.prctl(38, 1, 0, 0, 0));
}

/** Root's capabilities outlive `setuid`, until `setCapabilities` takes them. */
export function retainCapabilities(): void {
  check('PR_SET_KEEPCAPS', calls.prctl(8, 1, 0, 0, 0));
}

/** @param mask bits of linux/capability.h; the program that is executed keeps them */
export function setCapabilities(mask: number): void {
  // Version 3 of the header, this process; effective, permitted and inheritable, in two halves.
  const header = new Uint32Array([0x20080522, 0]);
  check('capset', calls.capset(header, new Uint32Array([mask, mask, mask, 0, 0, 0])));
  for (let capability = 0; capability < 32; capability += 1) {
    if ((mask & (1 << capability)) !== 0) check('PR_CAP_AMBIENT_RAISE', calls.prctl(47, 2, capability, 0, 0));
  }
}

/** @returns the newest version that this kernel knows, or -1 without Landlock */
export function landlockVersion(): number {
  return calls.createRuleset(numbers.createRuleset, null, 0, 1);
}

/** @returns a descriptor */
export function createRuleset(attributes: BigUint64Array): number {
  return check(
    'landlock_create_ruleset',
    calls.createRuleset(numbers.createRuleset, attributes, attributes.byteLength, 0),
  );
}

/** @param below a descriptor: the file, or the folder with everything in it */
export function allowBeneath(ruleset: number, below: number, rights: bigint): void {
  // A packed struct: the rights in 8 bytes, the descriptor in 4.
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, rights, true);
  rule.setInt32(8, below, true);
  check('landlock_add_rule', calls.addRule(numbers.addRule, ruleset, 1, new Uint8Array(rule.buffer), 0));
}

export function restrictSelf(ruleset: number): void {
  check('landlock_restrict_self', calls.restrictSelf(numbers.restrictSelf, ruleset, 0));
}

/** @param instructions of classic BPF, 8 bytes each */
export function installSeccompFilter(instructions: Uint8Array): void {
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, instructions.byteLength / 8, true);
  program.setBigUint64(8, BigInt(koffi.address(instructions)), true);
  check('PR_SET_SECCOMP', calls.prctl(22, 2, koffi.address(program.buffer), 0, 0));
}

/** Makes the descriptor known by this number, too, in the place of what it named before. */
export function putAt(descriptor: number, number: number): void {
  check('dup2', calls.dup2(descriptor, number));
}

/**
 * The program that is executed inherits these descriptors and no others, and they block: Node may have changed that for
 * its own streams.
 */
export function inheritOnly(descriptors: readonly number[]): void {
  const [closeOnExec, setDescriptorFlags, getStatus, setStatus] = [4, 2, 3, 4];
  check('close_range', calls.closeRange(numbers.closeRange, 0, 0xffffffff, closeOnExec));
  for (const descriptor of descriptors) {
    check('F_SETFD', calls.fcntl(descriptor, setDescriptorFlags, 0));
    const status = check('F_GETFL', calls.fcntl(descriptor, getStatus, 0));
    check('F_SETFL', calls.fcntl(descriptor, setStatus, status & ~constants.O_NONBLOCK));
  }
}

/** Node ignores both, and what is ignored stays so in the program that is executed. */
export function restoreSignals(): void {
  calls.signal(systemConstants.signals.SIGPIPE, null);
  calls.signal(systemConstants.signals.SIGXFSZ, null);
}

/**
 * This process, and what it executes, gets the processor time that nobody else wants: whoever wakes up takes its place
 * at once, which the lowest priority alone does not promise. Some C libraries have no such call.
 */
export function runWhenIdle(): void {
  const idle = 5;
  calls.setScheduler(0, idle, new Uint32Array([0]));
}

interface ResourceLimits {
  processorSeconds: number;
  /** Of address space. */
  memoryBytes: number;
  /** Of each file. */
  fileBytes: number;
  /** And threads. Of its user: root has no such limit. */
  processes: number;
}

/** For this process and what it executes. */
export function limitResources({ processorSeconds, memoryBytes, fileBytes, processes }: ResourceLimits): void {
  const [processorTime, fileSize, processCount, addressSpace] = [0, 1, 6, 9];
  setLimit('RLIMIT_CPU', processorTime, processorSeconds);
  setLimit('RLIMIT_FSIZE', fileSize, fileBytes);
  // Where it cannot be set, a lower one holds already.
  tryLimit(processCount, processes);
  setLimit('RLIMIT_AS', addressSpace, memoryBytes);
}

function setLimit(name: string, resource: number, limit: number): void {
  check(name, tryLimit(resource, limit));
}

function tryLimit(resource: number, limit: number): number {
  return calls.setrlimit(resource, new BigUint64Array([BigInt(limit), BigInt(limit)]));
}

/** Ends at once. Node's own way waits for its threads, and those may have lost what they need to end. */
export function exitNow(code: number): void {
  calls.exit(code);
}

/**
 * Becomes another program, without an environment.
 * @returns the code of the error, when it cannot
 */
export function execute(program: string, args: readonly string[]): number {
  calls.execve(program, [program, ...args, null], [null]);
  return koffi.errno();
}
