// Ends with 0 if the server of this container answers. Over https its certificate is not checked: it names other
// addresses than loopback.
import { get as getPlainly } from 'node:http';
import { get as getSecurely } from 'node:https';

const port = process.env.PORT || '4400';
const hasTls = process.env.TLS === 'local' || Boolean(process.env.TLS_CERT_FILE);
const url = `${hasTls ? 'https' : 'http'}://127.0.0.1:${port}/healthz`;
const get = hasTls ? getSecurely : getPlainly;
get(url, { rejectUnauthorized: false, timeout: 5_000 }, (answer) => {
  process.exit(answer.statusCode === 200 ? 0 : 1);
})
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
