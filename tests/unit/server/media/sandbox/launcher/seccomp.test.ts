import { describe, expect, test } from 'vitest';
import type { Architecture } from '#server/media/sandbox/seccomp.ts';
import { buildSeccompFilter } from '#server/media/sandbox/seccomp.ts';

const audit = { x64: 0xc000003e, arm64: 0xc00000b7 };
const [allowed, notPermitted, notImplemented, killed] = [0x7fff0000, 0x00050001, 0x00050026, 0x80000000];

/** Runs a filter as the kernel does: classic BPF with four instructions, on one system call. */
function answerOf(filter: Uint8Array, call: { architecture: number; number: number; first?: number }): number {
  const view = new DataView(filter.buffer);
  const words: Record<number, number> = { 0: call.number, 4: call.architecture, 16: call.first ?? 0 };
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const [code, value] = [view.getUint16(at * 8, true), view.getUint32(at * 8 + 4, true)];
    const jump = (isTrue: boolean) => view.getUint8(at * 8 + (isTrue ? 2 : 3));
    if (code === 0x06) return value;
    if (code === 0x20) loaded = words[value] ?? Number.NaN;
    else if (code === 0x15) at += jump(loaded === value);
    else if (code === 0x35) at += jump(loaded >= value);
    else if (code === 0x45) at += jump((loaded & value) !== 0);
    else throw new Error(`instruction ${code}`);
  }
  throw new Error('The filter has no end.');
}

describe.each(['x64', 'arm64'] as const)('the filter of %s', (architecture) => {
  const ask = (number: number, first?: number) =>
    answerOf(buildSeccompFilter(architecture, 4711), {
      architecture: audit[architecture],
      number,
      ...(first === undefined ? {} : { first }),
    });
  const of = (numbers: Record<Architecture, number>) => numbers[architecture];

  test('lets through what decoding needs', () => {
    const read = { x64: 0, arm64: 63 };
    const execve = { x64: 59, arm64: 221 };
    const openat = { x64: 257, arm64: 56 };
    const mmap = { x64: 9, arm64: 222 };
    expect([read, execve, openat, mmap].map((numbers) => ask(of(numbers)))).toEqual([
      allowed,
      allowed,
      allowed,
      allowed,
    ]);
  });

  test('refuses sockets, owners and modes of files, and other processes', () => {
    const refused = [
      { x64: 41, arm64: 198 },
      { x64: 53, arm64: 199 },
      { x64: 425, arm64: 425 },
      { x64: 268, arm64: 53 },
      { x64: 260, arm64: 54 },
      { x64: 304, arm64: 265 },
      { x64: 101, arm64: 117 },
      { x64: 112, arm64: 157 },
    ];
    expect(refused.map((numbers) => ask(of(numbers)))).toEqual(refused.map(() => notPermitted));
  });

  test('lets a program signal itself, and nobody else', () => {
    const kill = of({ x64: 62, arm64: 129 });
    expect([4711, 0, 1, 0xffffffff].map((pid) => ask(kill, pid))).toEqual([
      allowed,
      allowed,
      notPermitted,
      notPermitted,
    ]);
  });

  test('lets threads be made, but no namespaces', () => {
    const clone = of({ x64: 56, arm64: 220 });
    expect([0x003d0f00, 0x10000011, 0x40000011].map((flags) => ask(clone, flags))).toEqual([
      allowed,
      notPermitted,
      notPermitted,
    ]);
    expect(ask(435)).toBe(notImplemented);
  });

  test('ends whoever calls by the numbers of another architecture', () => {
    const other = architecture === 'x64' ? 0x40000003 : 0x40000028;
    expect(answerOf(buildSeccompFilter(architecture, 1), { architecture: other, number: 0 })).toBe(killed);
    expect(ask(0x40000000)).toBe(notPermitted);
  });
});
