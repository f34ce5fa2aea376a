interface FunctionCoverage {
  readonly functionName: string;
  /** The first range is the whole function. */
  readonly ranges: readonly { readonly count: number }[];
}

interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly FunctionCoverage[] }[];
}

interface Session {
  connect(): void;
  disconnect(): void;
  post(method: string, parameters?: object): void;
  post(method: string, answer: (error: Error | null, coverage: Coverage) => void): void;
}

/** Tests of the app know no types of Node, but run in it. */
declare const process: { getBuiltinModule(name: 'node:inspector'): { Session: new () => Session } };

/** Tells how often the functions of one name have run. */
type Calls = (name: string) => number;

/** Counts how often each function of ours runs until `work` is done, whoever calls it. */
export async function countCalls(work: () => unknown): Promise<Calls> {
  const session = new (process.getBuiltinModule('node:inspector').Session)();
  session.connect();
  try {
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    takeFunctions(session);
    await work();
    const functions = takeFunctions(session);
    return (name) =>
      functions
        .filter(({ functionName }) => functionName === name)
        .reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0);
  } finally {
    session.disconnect();
  }
}

/** The functions of ours that have run since the last time. */
function takeFunctions(session: Session): FunctionCoverage[] {
  let functions: FunctionCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error: Error | null, { result }: Coverage) => {
    if (error !== null) throw error;
    functions = result.filter(({ url }) => isOurs(url)).flatMap((script) => script.functions);
  });
  return functions;
}

function isOurs(url: string): boolean {
  return url.includes('/src/') && !url.includes('/node_modules/');
}
