import type { NetworkInterfaceInfo } from 'node:os';
import type { PeerCertificate } from 'node:tls';
import { checkServerIdentity, connect } from 'node:tls';
import type { Clock } from '#server/clock.ts';
import type { LocalHost } from '#server/tls/local-certificate.ts';

/** A clock that stands still until a test moves it. */
export function standingClock(start = Date.UTC(2027, 0, 15)): Clock & { pass(days: number): void } {
  let now = start;
  return { now: () => now, elapsed: () => now, pass: (days) => (now += days * 24 * 3_600_000) };
}

/** `nas` with these addresses. */
export function hostWith(...addresses: string[]): LocalHost {
  return { hostname: 'nas', interfaces: { eth0: addresses.map(interfaceWith) } };
}

export function interfaceWith(address: string): NetworkInterfaceInfo {
  const rest = { address, mac: '02:00:00:00:00:01', internal: false, cidr: null };
  return address.includes(':')
    ? { ...rest, family: 'IPv6', netmask: 'ffff:ffff:ffff:ffff::', scopeid: 0 }
    : { ...rest, family: 'IPv4', netmask: '255.255.255.0' };
}

export interface Handshake {
  /** What OpenSSL found wrong, or null. */
  refusal: string | null;
  protocol: string | false | null;
  fingerprint: string | null;
}

export interface HandshakeWish {
  port: number;
  /** The only authorities that are trusted. */
  ca: string;
  /** The name or address that the client believes to be at. */
  name: string;
  protocols?: string[];
}

/** What a client that trusts `ca` alone makes of the server on this port. */
export function shakeHands({ port, ca, name, protocols = ['h2', 'http/1.1'] }: HandshakeWish): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    const checkName = (_host: string, peer: PeerCertificate) => checkServerIdentity(name, peer);
    const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: protocols, checkServerIdentity: checkName });
    const finish = (refusal: string | null) => {
      // Of a refused server nothing is kept.
      const fingerprint = refusal === null ? socket.getPeerCertificate().fingerprint256 : null;
      socket.destroy();
      resolve({ refusal, protocol: socket.alpnProtocol, fingerprint });
    };
    socket.once('secureConnect', () => finish(null));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
      else finish(error.code === 'UNSPECIFIED' ? error.message : (error.code ?? error.message));
    });
  });
}
