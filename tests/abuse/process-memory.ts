import { readdirSync, readFileSync } from 'node:fs';

const mebibyte = 1_048_576;

/** What a process has in memory, in MiB. */
export function residentMiB(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) / 1_024;
}

/** What the sockets of this machine hold in the kernel, in MiB; pages of 4 KiB, as proc(5) has it. */
export function socketMiB(): number {
  const pages = /^TCP: .* mem (\d+)$/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1];
  return (Number(pages) * 4_096) / mebibyte;
}

export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Processor time that a process has used, in ms; clock ticks are hundredths of a second on Linux. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
