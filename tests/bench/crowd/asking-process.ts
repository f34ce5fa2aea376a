import { Agent, request } from 'node:http';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { reportOf } from '../playback-reports.ts';
import { quantile } from '../samples.ts';
import { each } from '../steady-pace.ts';

/** What viewers ask beside their streams. */
export interface Asking {
  picks: number;
  pickP99Ms: number;
  reports: number;
  reportP99Ms: number;
  /** Reports that a server with too much to do refused for now; the app sends them again. */
  postponed: number;
  /** Other answers that are not as expected. */
  failures: number;
}

/** Each quadrant shows another video as often, which is the default. */
const switchMs = 120_000;

/** Picks and reports of viewers with an address each, at their pace. */
async function ask(origin: string, viewers: number, seconds: number): Promise<Asking> {
  const agent = new Agent({ keepAlive: true });
  const signal = AbortSignal.timeout(seconds * 1_000);
  let [postponed, failures] = [0, 0];
  const call = async (method: string, path: string, viewer: number, expected: number, body?: object) => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const headers = {
      'x-forwarded-for': `10.1.${viewer >> 8}.${viewer & 255}`,
      ...(body && { 'content-type': 'application/json' }),
    };
    request(`${origin}${path}`, { method, agent, headers }, (answer) => {
      answer.resume().on('close', () => resolve(answer.statusCode));
    })
      .on('error', () => resolve(undefined))
      .end(body && JSON.stringify(body));
    const status = await promise;
    if (status === 503 && method === 'POST') postponed += 1;
    else if (status !== expected) failures += 1;
  };
  const pick = (round: number) =>
    call('GET', `/api/video/${quadrants[round % quadrants.length]}`, (round >> 2) % viewers, 200);
  const report = (round: number) => {
    const body = reportOf(round % viewers, Date.now(), { seconds: limits.performanceReportSeconds, everySeconds: 1 });
    return call('POST', '/api/optimization/performance/top-left', round % viewers, 202, body);
  };
  const [picks, reports] = await Promise.all([
    each(switchMs / (viewers * quadrants.length), signal, pick),
    each((limits.performanceReportSeconds * 1_000) / viewers, signal, report),
  ]);
  agent.destroy();
  return {
    picks: picks.length,
    pickP99Ms: quantile(picks, 0.99),
    reports: reports.length,
    reportP99Ms: quantile(reports, 0.99),
    postponed,
    failures,
  };
}

if (import.meta.main) {
  const [origin = '', viewers, seconds] = process.argv.slice(2);
  process.send?.(await ask(origin, Number(viewers), Number(seconds)));
}
