/** Runs two subjects in turn, A-B-A-B, so that whatever disturbs the machine disturbs both. The first round warms up and is dropped. */
export async function alternate<A, B>(rounds: number, runA: () => Promise<A>, runB: () => Promise<B>): Promise<[A[], B[]]> {
  const a: A[] = [];
  const b: B[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const [first, second] = [await runA(), await runB()];
    if (round === 0) continue;
    a.push(first);
    b.push(second);
  }
  return [a, b];
}
