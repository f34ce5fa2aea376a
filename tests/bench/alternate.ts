/**
 * Runs two subjects in turn, A-B-A-B, so that whatever disturbs the machine disturbs both. Round 0 warms up and is
 * dropped.
 */
export async function alternate<A, B>(
  rounds: number,
  runA: (round: number) => Promise<A>,
  runB: (round: number) => Promise<B>,
): Promise<[A[], B[]]> {
  const a: A[] = [];
  const b: B[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const [first, second] = [await runA(round), await runB(round)];
    if (round === 0) continue;
    a.push(first);
    b.push(second);
  }
  return [a, b];
}
