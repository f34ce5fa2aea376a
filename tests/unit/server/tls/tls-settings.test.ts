import { expect, test } from 'vitest';
import { EnvRefused, readEnv } from '#server/env.ts';

test.each([
  [{}, { kind: 'off' }],
  [{ TLS: 'local' }, { kind: 'local', names: [], pagePort: 4480 }],
  [
    { TLS: 'local', PORT: '443', HTTP_PORT: '80' },
    { kind: 'local', names: [], pagePort: 80 },
  ],
  [
    { TLS: 'local', PORT: '0' },
    { kind: 'local', names: [], pagePort: 0 },
  ],
  [
    { TLS: 'local', TLS_NAMES: 'NAS.fritz.box, 192.168.1.5,fd00::5' },
    { kind: 'local', names: ['nas.fritz.box', '192.168.1.5', 'fd00::5'], pagePort: 4480 },
  ],
  [
    { TLS_CERT_FILE: '/certs/chain.pem', TLS_KEY_FILE: '/certs/key.pem' },
    { kind: 'files', certFile: '/certs/chain.pem', keyFile: '/certs/key.pem' },
  ],
])('%j is %j', (variables, tls) => {
  expect(readEnv(variables).tls).toEqual(tls);
});

const together = 'TLS_CERT_FILE and TLS_KEY_FILE have to be set together';

test.each([
  [{ TLS: 'on' }, ["TLS has to be 'off' or 'local'"]],
  [{ TLS_CERT_FILE: 'chain.pem' }, [together]],
  [{ TLS_KEY_FILE: 'key.pem' }, [together]],
  [
    { TLS: 'local', TLS_KEY_FILE: 'key.pem' },
    [together, 'TLS=local makes its own certificate: leave TLS_CERT_FILE and TLS_KEY_FILE unset'],
  ],
  [{ TLS_NAMES: 'nas', HTTP_PORT: '80' }, ['TLS_NAMES goes with TLS=local', 'HTTP_PORT goes with TLS=local']],
  [{ TLS: 'local', TLS_NAMES: 'https://nas' }, ['TLS_NAMES has to be names or addresses with commas between them']],
  [{ TLS: 'local', HTTP_PORT: '4400' }, ['HTTP_PORT has to differ from PORT']],
  [{ TLS: 'local', PORT: '65500' }, ['HTTP_PORT has to be set, as PORT + 80 is no port']],
])('%j is refused', (variables, problems) => {
  let refused: unknown;
  try {
    readEnv(variables);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(EnvRefused);
  expect((refused as EnvRefused).problems).toEqual(problems);
});
