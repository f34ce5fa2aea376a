/** System call numbers on x64 and on arm64. Null: arm64 has only the newer form of the call. */
type Numbers = readonly [x64: number | null, arm64: number | null];
export type Architecture = 'x64' | 'arm64';

/** Denied system calls, which Landlock does not cover and decoding a video does not need. */
const denied: Record<string, Numbers> = {
  // Sockets of any kind, including those that io_uring makes.
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  io_uring_setup: [425, 425],
  // Owner, mode, times and attributes of files.
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, null],
  fchown: [93, 55],
  lchown: [94, null],
  fchownat: [260, 54],
  utime: [132, null],
  utimes: [235, null],
  futimesat: [261, null],
  utimensat: [280, 88],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  setxattrat: [463, 463],
  removexattrat: [466, 466],
  file_setattr: [469, 469],
  // Opening files without their path.
  open_by_handle_at: [304, 265],
  // Access to other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  tkill: [200, 130],
  // Leaving the process group that is killed as a whole.
  setsid: [112, 157],
  setpgid: [109, 154],
  // Other namespaces, mounts, keys, and parts of the kernel with a history of vulnerabilities.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  perf_event_open: [298, 241],
  bpf: [321, 280],
  userfaultfd: [323, 282],
};

/** Calls whose first argument is a process id: only 0 and the program's own id are allowed. */
const ownProcessOnly: Record<string, Numbers> = { kill: [62, 129], tgkill: [234, 131], prlimit64: [302, 261] };

const clone: Numbers = [56, 220];
/**
 * A filter cannot read the flags of `clone3`, which are in memory. If the call does not exist,
 * libraries fall back to `clone`.
 */
const clone3: Numbers = [435, 435];
/** The `CLONE_NEW*` flags, which create namespaces. */
const namespaceFlags = 0x7e02_0000;

/** Architecture ids of linux/audit.h. */
const auditArchitecture = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** Marks calls of the x32 interface, which has the calls of x64 under other numbers. */
const x32Bit = 0x4000_0000;

/** Classic BPF: load a word of `struct seccomp_data`, compare, jump, return. */
const [load, jumpIfEqual, jumpIfAtLeast, jumpIfAnyBit, answer] = [0x20, 0x15, 0x35, 0x45, 0x06];
const [callNumber, callArchitecture, firstArgument] = [0, 4, 16];
const [allow, killProcess] = [0x7fff_0000, 0x8000_0000];
const refuseWith = (errno: number) => 0x0005_0000 | errno;
const [notPermitted, notImplemented] = [refuseWith(1), refuseWith(38)];

type Instruction = readonly [code: number, value: number, whenTrue?: number, whenFalse?: number];

/** @param ownPid the process may send signals to this id; `execve` keeps it */
export function buildSeccompFilter(architecture: Architecture, ownPid: number): Uint8Array {
  const numberOf = ([x64, arm64]: Numbers) => (architecture === 'x64' ? x64 : arm64);
  const when = (numbers: Numbers, then: readonly Instruction[]): readonly Instruction[] => {
    const number = numberOf(numbers);
    return number === null ? [] : [[jumpIfEqual, number, 0, then.length], ...then];
  };
  const refuse: Instruction = [answer, notPermitted];
  const ownOnly: Instruction[] = [
    [load, firstArgument],
    [jumpIfEqual, 0, 1],
    [jumpIfEqual, ownPid, 0, 1],
    [answer, allow],
    refuse,
  ];
  return encode([
    [load, callArchitecture],
    [jumpIfEqual, auditArchitecture[architecture], 1],
    [answer, killProcess],
    [load, callNumber],
    [jumpIfAtLeast, x32Bit, 0, 1],
    refuse,
    ...Object.values(denied).flatMap((numbers) => when(numbers, [refuse])),
    ...Object.values(ownProcessOnly).flatMap((numbers) => when(numbers, ownOnly)),
    ...when(clone3, [[answer, notImplemented]]),
    ...when(clone, [[load, firstArgument], [jumpIfAnyBit, namespaceFlags, 0, 1], refuse, [answer, allow]]),
    [answer, allow],
  ]);
}

/** Encodes `struct sock_filter`: 16 bits for the code, 8 for each jump, 32 for the value. */
function encode(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [at, [code, value, whenTrue = 0, whenFalse = 0]] of instructions.entries()) {
    bytes.setUint16(at * 8, code, true);
    bytes.setUint8(at * 8 + 2, whenTrue);
    bytes.setUint8(at * 8 + 3, whenFalse);
    bytes.setUint32(at * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
