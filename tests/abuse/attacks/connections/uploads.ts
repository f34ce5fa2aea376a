import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { request } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client } from '../../client.ts';
import { fieldsOf, repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';
import { residentMiB } from '../../process-memory.ts';
import type { Target } from '../../target.ts';

const mebibyte = 1024 ** 2;
const piece = Buffer.alloc(mebibyte, 7);
const tus = { 'tus-resumable': '1.0.0' };
const patchHeaders = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };

/** An upload session of somebody who has just come. */
interface Sent {
  client: Client;
  id: string;
  key: { accesskey: string };
  addresses: string[];
}

async function startUpload(target: Target, count: number, bytes: number): Promise<Sent> {
  const { client } = await target.member();
  await client.post('/api/users/eula/accept', {});
  const files = Array.from({ length: count }, (_, index) => ({ filename: `${index}.mp4`, file_size: bytes }));
  const reply = await client.post('/api/upload/initiate', { files });
  if (reply.status !== 201) throw new Error(`No upload could be started: ${reply.status}, ${reply.body}`);
  const session = fieldsOf(reply) as { session_id: string; bunny_access_key: string; files: { address: string }[] };
  target.inspector.keepSecret(session.bunny_access_key);
  return {
    client,
    id: session.session_id,
    key: { accesskey: session.bunny_access_key },
    addresses: session.files.map(({ address }) => address),
  };
}

/** Milliseconds a file that so many at once take. */
async function sendAll(
  { client, key, addresses }: Sent,
  mebibytes: number,
): Promise<{ statuses: number[]; ms: number }> {
  const start = performance.now();
  const statuses = await repeat(addresses.length, addresses.length, async (index) => {
    const body = Readable.from(Array.from({ length: mebibytes }, () => piece));
    return (await client.ask('PUT', addresses[index] ?? '', { body, headers: key })).status;
  });
  return { statuses, ms: performance.now() - start };
}

function storedBytes({ dataFolder }: Target): number {
  const folder = join(dataFolder, 'uploads', 'parts');
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** A body that says that it brings 10 MB, and brings 40 bytes a second. */
function drip({ port }: Target, { key }: Sent, path: string): ClientRequest {
  const headers = { ...patchHeaders, ...key, 'content-length': 10_000_000 };
  const sent = request({ host: '127.0.0.1', port, path, method: 'PATCH', agent: false, headers });
  sent.on('error', () => {}).on('response', (reply) => reply.resume());
  sent.write(piece.subarray(0, 40));
  return sent;
}

/**
 * One person sends checked bodies without a length beyond what was declared, opens hundreds of bodies that drip, and asks
 * for offsets without end, while somebody else uploads.
 */
export const uploadFloods: Attack = {
  name: 'upload-floods',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target, _random, budget) {
    const findings = createFindings();
    const large = Buffer.alloc(budget.count(1, 32) * mebibyte, 1);
    const digest = createHash('sha1').update(large).digest('base64');
    const small = await startUpload(target, 1, 1);
    // Other attacks leave what they have sent.
    const storedBefore = storedBytes(target);
    await repeat(budget.count(3, 20), 4, async () => {
      const headers = { ...patchHeaders, ...small.key, 'upload-checksum': `sha1 ${digest}` };
      const { status } = await small.client.ask('PATCH', small.addresses[0] ?? '', {
        body: Readable.from([large]),
        headers,
      });
      // Cut, or refused because another of these came.
      findings.expect([0, 413, 423].includes(status), `a body beyond what was declared was answered with ${status}`);
      findings.expect(storedBytes(target) - storedBefore <= 1, 'a file became longer than declared', 'loss');
    });

    const others = await startUpload(target, 4, budget.count(1, 48) * mebibyte);
    const before = await sendAll(others, budget.count(1, 48));
    const many = await startUpload(target, 200, 10_000_000);
    let isOver = false;
    let besideMs = Number.POSITIVE_INFINITY;
    let open: ClientRequest[] = [];
    const dripping = repeat(budget.count(40, 300), budget.count(40, 300), async (index) => {
      while (!isOver) {
        const sent = drip(target, many, many.addresses[index % many.addresses.length] ?? '');
        open.push(sent);
        while (!isOver && !sent.destroyed) {
          await delay(1_000);
          if (!sent.destroyed) sent.write(piece.subarray(0, 40));
        }
        open = open.filter((one) => one !== sent);
      }
    });
    // Some 200 a second: many more answers would cost this process, which sends the other uploads too, more than theirs.
    const asking = repeat(budget.count(4, 20), budget.count(4, 20), async (index) => {
      while (!isOver) {
        await many.client.ask('HEAD', many.addresses[index] ?? '', { headers: { ...tus, ...many.key } });
        await delay(100);
      }
    });
    try {
      await delay(budget.count(200, 3_000));
      const eight = await startUpload(target, 8, mebibyte);
      const { statuses } = await sendAll(eight, 1);
      findings.expect(
        statuses.every((status) => status === 201),
        `of eight other uploads some were answered with ${[...new Set(statuses)].join(', ')}`,
      );
      besideMs = (await sendAll(others, budget.count(1, 48))).ms;
    } finally {
      isOver = true;
      for (const sent of open) sent.destroy();
      await Promise.all([dripping, asking]);
    }
    // A machine that is busy with something else is so at both times.
    const aloneMs = (before.ms + (await sendAll(others, budget.count(1, 48))).ms) / 2;
    findings.expect(
      budget.isShort || aloneMs / besideMs >= 0.8,
      `four other uploads had ${(aloneMs / besideMs).toFixed(2)} of their speed`,
      'cost',
    );
    for (const upload of [small, others, many]) {
      const { status } = await upload.client.ask('DELETE', `/api/upload/cancel/${upload.id}`);
      findings.expect(status === 204, `cancelling was answered with ${status}`);
    }
    return findings.list();
  },
};

/** One key over many HTTP/2 connections, whose bodies wait for a file that another request holds. */
export const uploadWindows: Attack = {
  name: 'upload-windows',
  databases: bothDatabases,
  short: [],
  setting: 'secure',
  async run(target, _random, budget) {
    const findings = createFindings();
    const sent = await startUpload(target, 1, 1_000 * mebibyte);
    const before = residentMiB(target.process.pid);
    const sessions: ClientHttp2Session[] = [];
    let most = before;
    try {
      for (let index = 0; index < budget.count(4, 40); index += 1) {
        const session = connect(target.address, { rejectUnauthorized: false }).on('error', () => {});
        sessions.push(session);
        for (let stream = 0; stream < 4; stream += 1) {
          const asked = session.request({
            ':method': 'PATCH',
            ':path': sent.addresses[0] ?? '',
            ...patchHeaders,
            ...sent.key,
          });
          asked.on('error', () => {}).resume();
          for (let part = 0; part < 16; part += 1) asked.write(piece);
        }
      }
      for (let look = 0; look < budget.count(4, 40); look += 1) {
        await delay(250);
        most = Math.max(most, residentMiB(target.process.pid));
      }
    } finally {
      for (const session of sessions) session.destroy();
    }
    findings.expect(
      budget.isShort || most - before <= 200,
      `memory grew by ${Math.round(most - before)} MiB for bodies that wait`,
      'cost',
    );
    await sent.client.ask('DELETE', `/api/upload/cancel/${sent.id}`);
    return findings.list();
  },
};
