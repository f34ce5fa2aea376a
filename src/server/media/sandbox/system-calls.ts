import { constants } from 'node:fs';
import { constants as systemConstants } from 'node:os';
import koffi from 'koffi';

/*
 * System calls that Node does not offer, used only by the launcher, as each changes the process
 * permanently. They affect the calling thread. `execve` ends all other threads, so the settings
 * apply to the whole program.
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

/** Equal on every architecture, as all newer calls share one numbering. */
const numbers = { closeRange: 436, createRuleset: 444, addRule: 445, restrictSelf: 446 };

/** System calls that Node does not offer. */
export const systemCalls = {
  /**
   * Keeps set-user-id programs and file capabilities from giving this process new rights. Landlock
   * and seccomp require this.
   */
  forbidNewPrivileges(): void {
    check('PR_SET_NO_NEW_PRIVS', calls.prctl(38, 1, 0, 0, 0));
  },

  /** Keeps root's capabilities after `setuid`, until `setCapabilities` replaces them. */
  retainCapabilities(): void {
    check('PR_SET_KEEPCAPS', calls.prctl(8, 1, 0, 0, 0));
  },

  /** @param mask bits of linux/capability.h; the executed program keeps them */
  setCapabilities(mask: number): void {
    // Version 3 of the header, for this process; the effective, permitted and inheritable sets, in
    // two halves.
    const header = new Uint32Array([0x20080522, 0]);
    check('capset', calls.capset(header, new Uint32Array([mask, mask, mask, 0, 0, 0])));
    for (let capability = 0; capability < 32; capability += 1) {
      if ((mask & (1 << capability)) !== 0) check('PR_CAP_AMBIENT_RAISE', calls.prctl(47, 2, capability, 0, 0));
    }
  },

  /** @returns the newest version that this kernel supports, or -1 without Landlock */
  landlockVersion(): number {
    return calls.createRuleset(numbers.createRuleset, null, 0, 1);
  },

  /** @returns the ruleset's descriptor */
  createRuleset(attributes: BigUint64Array): number {
    return check(
      'landlock_create_ruleset',
      calls.createRuleset(numbers.createRuleset, attributes, attributes.byteLength, 0),
    );
  },

  /** @param below descriptor of a file, or of a folder whose content is included */
  allowBeneath(ruleset: number, below: number, rights: bigint): void {
    // A packed struct: the rights in 8 bytes, the descriptor in 4.
    const rule = new DataView(new ArrayBuffer(12));
    rule.setBigUint64(0, rights, true);
    rule.setInt32(8, below, true);
    check('landlock_add_rule', calls.addRule(numbers.addRule, ruleset, 1, new Uint8Array(rule.buffer), 0));
  },

  restrictSelf(ruleset: number): void {
    check('landlock_restrict_self', calls.restrictSelf(numbers.restrictSelf, ruleset, 0));
  },

  /** @param instructions classic BPF, 8 bytes each */
  installSeccompFilter(instructions: Uint8Array): void {
    const program = new DataView(new ArrayBuffer(16));
    program.setUint16(0, instructions.byteLength / 8, true);
    program.setBigUint64(8, BigInt(koffi.address(instructions)), true);
    check('PR_SET_SECCOMP', calls.prctl(22, 2, koffi.address(program.buffer), 0, 0));
  },

  /** Duplicates the descriptor to this number, in place of the one that had it. */
  putAt(descriptor: number, number: number): void {
    check('dup2', calls.dup2(descriptor, number));
  },

  /**
   * The executed program inherits these descriptors only. They are set to blocking mode, which Node
   * may have changed for its own streams.
   */
  inheritOnly(descriptors: readonly number[]): void {
    const [closeOnExec, setDescriptorFlags, getStatus, setStatus] = [4, 2, 3, 4];
    check('close_range', calls.closeRange(numbers.closeRange, 0, 0xffffffff, closeOnExec));
    for (const descriptor of descriptors) {
      check('F_SETFD', calls.fcntl(descriptor, setDescriptorFlags, 0));
      const status = check('F_GETFL', calls.fcntl(descriptor, getStatus, 0));
      check('F_SETFL', calls.fcntl(descriptor, setStatus, status & ~constants.O_NONBLOCK));
    }
  },

  /**
   * Restores the default of two signals that Node ignores, because an executed program inherits
   * ignored signals.
   */
  restoreSignals(): void {
    calls.signal(systemConstants.signals.SIGPIPE, null);
    calls.signal(systemConstants.signals.SIGXFSZ, null);
  },

  /**
   * This process, and the program it executes, runs only when a processor is idle: any other
   * process preempts it at once, which the lowest priority alone does not guarantee. Some C
   * libraries lack this call.
   */
  runWhenIdle(): void {
    const idle = 5;
    calls.setScheduler(0, idle, new Uint32Array([0]));
  },

  /** Limits this process and the program it executes. */
  limitResources({ processorSeconds, memoryBytes, fileBytes, processes }: ResourceLimits): void {
    const [processorTime, fileSize, processCount, addressSpace] = [0, 1, 6, 9];
    setLimit('RLIMIT_CPU', processorTime, processorSeconds);
    setLimit('RLIMIT_FSIZE', fileSize, fileBytes);
    // If the limit cannot be set, a lower one is already in force.
    tryLimit(processCount, processes);
    setLimit('RLIMIT_AS', addressSpace, memoryBytes);
  },

  /**
   * Exits at once. Node's own exit waits for its threads, which may have lost what they need to
   * end.
   */
  exitNow(code: number): void {
    calls.exit(code);
  },

  /**
   * Replaces this process with another program, without an environment.
   * @returns the error number if that fails
   */
  execute(program: string, args: readonly string[]): number {
    calls.execve(program, [program, ...args, null], [null]);
    return koffi.errno();
  },
};

function check(name: string, result: number): number {
  if (result < 0) throw new Error(`${name}: errno ${koffi.errno()}`);
  return result;
}

interface ResourceLimits {
  processorSeconds: number;
  /** Limit of the address space. */
  memoryBytes: number;
  /** Limit of each written file. */
  fileBytes: number;
  /** Limit of the user's processes and threads. It does not apply to root. */
  processes: number;
}

function setLimit(name: string, resource: number, limit: number): void {
  check(name, tryLimit(resource, limit));
}

function tryLimit(resource: number, limit: number): number {
  return calls.setrlimit(resource, new BigUint64Array([BigInt(limit), BigInt(limit)]));
}
