/** Loaded into a node before its own code: the host `store` has another address for each node, as in a name service. */
import dns from 'node:dns';

const address = process.env.STORE_ADDRESS ?? '127.0.0.1';
const { lookup } = dns;

dns.lookup = ((host: string, options: dns.LookupOptions, done: (...answer: unknown[]) => void) => {
  if (host !== 'store') return lookup(host, options, done);
  if (options.all === true) done(null, [{ address, family: 4 }]);
  else done(null, address, 4);
}) as typeof dns.lookup;
