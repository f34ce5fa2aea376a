import { describeFailure } from '../backup/describe-failure.ts';
import { print, runCommand } from '../backup/run-command.ts';
import { systemClock } from '../clock.ts';
import type { Env } from '../env.ts';
import { productFolders } from '../folders.ts';
import { createIds } from '../ids.ts';
import { DiskSpace } from '../storage/disk-space.ts';
import type { DirectAddresses } from '../storage/stores/direct-addresses.ts';
import { Store } from '../storage/stores/store.ts';
import { reasonOf } from '../storage/stores/store-calls.ts';

/*
 * `npm run storage:check https://videos.example.org` stores a small file, fetches it as the browsers
 * of that site would, by the addresses of `DELIVERY`, and says what is missing.
 */

const fileLines = 1_000;
const limitMs = 15_000;

await runCommand<{ site: string | null }>({
  usage: 'npm run storage:check -- https://videos.example.org, with the address of the site unless PUBLIC_URL is set.',
  parse([site, ...more]) {
    const url = site === undefined ? null : URL.parse(site);
    if (more.length > 0 || (site !== undefined && url === null)) return null;
    return { site: url?.origin ?? null };
  },
  async run({ site: named }, { env }) {
    if (env.store === null) throw new Error('STORAGE_URL and STORAGE_SECRET are not set.');
    const site = named ?? env.publicOrigin;
    if (site === undefined) throw new Error('Name the address of the site, or set PUBLIC_URL.');
    const store = new Store(env.store, { cacheFolder: productFolders(env).cache, env, diskSpace: new DiskSpace() });
    const findings = await tryStore(store, site);
    for (const { what, problem } of findings) print(`  ${problem === null ? 'good   ' : 'MISSING'}  ${what}`);
    const missing = findings.flatMap(({ problem }) => problem ?? []);
    if (missing.length === 0) return print(`\n  Browsers of ${site} get what they need.`);
    print(`\n${missing.map((problem) => `  ${problem}`).join('\n')}\n\n${ruleFor(env.delivery, store.place, site)}`);
    if (findings.some(({ problem, isNeeded }) => problem !== null && isNeeded)) throw new Error('see above.');
  },
  describe: async (error, _options, env: Env) => describeFailure(error, env.dataFolder),
  failed: 'Not all is as browsers need it',
});

/** One trial, and the problem that it has found. */
interface Finding {
  what: string;
  problem: string | null;
  /** Videos do not play, or are not kept, without it. */
  isNeeded: boolean;
}

async function tryStore(store: Store, site: string): Promise<Finding[]> {
  const files = store.storage('');
  const ids = createIds(systemClock);
  const name = `storage-check/${ids.secret()}.mp4`;
  const bytes = Buffer.from(Array.from({ length: fileLines }, () => ids.secret()).join('\n'));
  await files.put(name, inOnePiece(bytes), { bytes: bytes.length, type: 'video/mp4' });
  try {
    const read = await files.read(name);
    const stored = finding('takes a file and gives it back', read?.equals(bytes) === true, 'It gave other bytes back.');
    return [stored, ...(store.direct === null ? [] : await tryAddresses(store.direct, { name, bytes, site }))];
  } finally {
    await files.remove(name);
  }
}

interface Tried {
  name: string;
  bytes: Buffer;
  /** The origin of the site. */
  site: string;
}

async function tryAddresses(direct: DirectAddresses, { name, bytes, site }: Tried): Promise<Finding[]> {
  const url = await direct.of(name, { rendition: 'source', version: '1' });
  const ask = async (address: string, headers: Record<string, string>, method = 'GET') => {
    const signal = AbortSignal.timeout(limitMs);
    try {
      return await fetch(address, { method, headers: { origin: site, ...headers }, signal });
    } catch (error) {
      throw new Error(
        `${direct.origin}, from which browsers are to fetch videos, does not answer (${reasonOf(error)}).`,
      );
    }
  };
  const part = await ask(url, { range: 'bytes=100-299' });
  const isPart = Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 300));
  const preflight = await ask(
    url,
    { 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' },
    'OPTIONS',
  );
  const statusOf = async (address: string) => (await ask(address, {})).status;
  const [ended, unsigned] = [await statusOf(await direct.ended(name)), await statusOf(url.replace(/\?.*$/, ''))];
  const { headers } = part;
  const allows = (one: Headers, header: string, wanted: string) => {
    const named = (one.get(header) ?? '').split(',').map((text) => text.trim().toLowerCase());
    return named.includes(wanted) || named.includes('*');
  };
  const mayAsk = preflight.ok && allows(preflight.headers, 'access-control-allow-origin', site);
  return [
    finding('Range', part.status === 206 && isPart, `A range was answered with ${part.status}, not with 206.`),
    finding('Content-Type', headers.get('content-type') === 'video/mp4', 'The type of the file is not sent.'),
    finding('ETag', headers.has('etag'), 'No ETag is sent: browsers cannot go on where they were.'),
    finding('CORS', allows(headers, 'access-control-allow-origin', site), `CORS does not let ${site} read.`),
    finding(
      'CORS, Content-Range',
      allows(headers, 'access-control-expose-headers', 'content-range'),
      'CORS hides Content-Range: videos cannot be kept offline.',
    ),
    finding(
      'CORS, preflight for Range',
      mayAsk && allows(preflight.headers, 'access-control-allow-headers', 'range'),
      `CORS does not let ${site} ask for ranges (OPTIONS was answered with ${preflight.status}).`,
    ),
    finding('an end', isRefused(ended), `An address that has ended was answered with ${ended}.`),
    finding('a signature', isRefused(unsigned), `An address without a signature was answered with ${unsigned}.`),
    {
      what: 'Timing-Allow-Origin',
      problem: allows(headers, 'timing-allow-origin', site)
        ? null
        : 'Without Timing-Allow-Origin the app does not know how fast videos come, and keeps none by itself.',
      isNeeded: false,
    },
  ];
}

function finding(what: string, isGood: boolean, problem: string): Finding {
  return { what, problem: isGood ? null : problem, isNeeded: true };
}

function isRefused(status: number): boolean {
  return [400, 401, 403, 404, 410].includes(status);
}

/** The rule that an operator pastes where the bytes come from. */
function ruleFor(delivery: Env['delivery'], place: string, site: string): string {
  if (delivery.kind === 'server') return '';
  if (delivery.kind === 'store') return `  Give the bucket this rule:\n\n${bucketRule(place, site)}`;
  if (delivery.signing === 'bunny')
    return `  In the pull zone: under Security, token authentication; under Headers, CORS for mp4, webm, mov, mkv, avi;
  and an edge rule for all files, 'Set Response Header', for each of:

${headersFor(site).join('\n')}`;
  const lines = headersFor(site).map((header) => header.replace(/^(\S+): (.*)$/, '    add_header $1 "$2" always;'));
  return `  Put this into the location of nginx:\n\n${lines.join('\n')}\n    if ($request_method = OPTIONS) { return 204; }`;
}

function headersFor(site: string): string[] {
  return [
    `Access-Control-Allow-Origin: ${site}`,
    'Access-Control-Allow-Headers: range',
    'Access-Control-Expose-Headers: content-range, etag',
    `Timing-Allow-Origin: ${site}`,
  ];
}

/** Stores let nobody set Timing-Allow-Origin. */
function bucketRule(place: string, site: string): string {
  const { origin, pathname } = new URL(place);
  const rule = {
    AllowedOrigins: [site],
    AllowedMethods: ['GET', 'HEAD'],
    AllowedHeaders: ['range'],
    ExposeHeaders: ['Content-Range', 'ETag'],
    MaxAgeSeconds: 86_400,
  };
  const [, bucket] = pathname.split('/');
  return `aws s3api put-bucket-cors --endpoint-url ${origin} --bucket ${bucket} --cors-configuration '${JSON.stringify({ CORSRules: [rule] }, null, 2)}'`;
}

async function* inOnePiece(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}
