import { get as getPlainly, Agent as PlainAgent } from 'node:http';
import { get as getSecurely, Agent as SecureAgent } from 'node:https';
import { quadrants } from '#contract/quadrants.ts';

/*
 * A viewer beside an attack, in a process of its own, so that what the attack costs the attacker is not measured. Asks
 * for a video each `everyMs` and sends what came of it to its parent, until it is ended. Arguments: the product's
 * address, and the headers as JSON.
 */
const [address = '', headers = '{}'] = process.argv.slice(2);
const everyMs = 40;
/** The app's own patience with a pick. */
const patienceMs = 10_000;
const options = { keepAlive: true, maxSockets: 8 };
const agent = address.startsWith('https:') ? new SecureAgent(options) : new PlainAgent(options);
const get = address.startsWith('https:') ? getSecurely : getPlainly;

export interface PickSeen {
  /** 0: no answer. */
  status: number;
  ms: number;
}

let asked = 0;

function pick(): void {
  const quadrant = quadrants[asked++ % quadrants.length];
  const start = performance.now();
  const seen = (status: number) => process.send?.({ status, ms: performance.now() - start } satisfies PickSeen);
  const signal = AbortSignal.timeout(patienceMs);
  get(
    `${address}/api/video/${quadrant}`,
    { agent, signal, headers: JSON.parse(headers), rejectUnauthorized: false, localAddress: '127.0.0.2' },
    (answer) => {
      answer.resume().on('end', () => seen(answer.statusCode ?? 0));
    },
  ).on('error', () => seen(0));
}

process.on('disconnect', () => process.exit());
setInterval(pick, everyMs);
