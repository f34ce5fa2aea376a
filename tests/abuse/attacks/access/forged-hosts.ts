import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import { createFindings } from '../../findings.ts';
import { publicName } from '../../settings.ts';

const evil = 'evil.example';
const forged: readonly Record<string, string>[] = [
  { host: evil },
  { 'x-forwarded-host': evil },
  { 'x-forwarded-host': evil, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' },
  { forwarded: `host=${evil};proto=https;for=127.0.0.1` },
  { 'x-original-url': '/users/admin', 'x-rewrite-url': '/users/admin' },
];

/** Names and addresses that a proxy would tell, told by somebody who is none, where no proxy is named. */
export const forgedHosts: Attack = {
  name: 'forged-hosts',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target) {
    const findings = createFindings();
    for (const headers of forged) {
      const client = target.stranger(headers);
      const told = Object.keys(headers).join(', ');
      for (const path of ['/', '/api/config', '/certificate', '/auth/oauth/providers']) {
        const { status, body, headers: answered } = await client.get(path);
        const text = `${body}${JSON.stringify(answered)}`;
        // The page for a name that is not the site's may say that name, as text.
        findings.expect(status === 421 || !text.includes(evil), `${path} repeats a name from ${told}`, 'leak');
      }
      const device = await client.post('/auth/device', {});
      findings.expect(
        device.status === 421 || !device.body.includes(evil),
        `the address for another device is taken from ${told}`,
        'leak',
      );
    }
    const strange = await target.stranger({ host: evil }).get('/api/config');
    findings.expect(strange.status === 421, `a name that is not the site's is answered with ${strange.status}`);
    const admin = await target
      .stranger({ 'x-forwarded-for': '127.0.0.1', 'x-original-url': '/users/admin' })
      .get('/users/admin');
    findings.expect(admin.status === 401, `administration is answered with ${admin.status}`);
    return findings.list();
  },
};

/** The same behind a proxy: it is believed, but for one name alone. */
export const proxiedHosts: Attack = {
  name: 'proxied-hosts',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'proxied',
  async run(target) {
    const findings = createFindings();
    const evilHost = await target.stranger({ 'x-forwarded-host': evil }).get('/api/status');
    findings.expect(
      evilHost.status === 421,
      `a proxy that was asked for another name is answered with ${evilHost.status}`,
    );
    const asked = { host: 'localhost:4400', 'x-forwarded-host': publicName, 'x-forwarded-proto': 'https' };
    const { status } = await (await target.visitor(asked)).get('/api/status');
    findings.expect(status === 200, `the name that the proxy was asked for is answered with ${status}`);
    const device = await (await target.visitor({ 'x-forwarded-host': publicName })).post('/auth/device', {});
    findings.expect(
      !device.body.includes('127.0.0.1') && !device.body.includes('localhost'),
      'the address for another device is one of this machine',
    );
    return findings.list();
  },
};
