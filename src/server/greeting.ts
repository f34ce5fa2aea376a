import type { ListenAddresses } from './http/addresses/listen-addresses.ts';
import { isLoopbackHost } from './http/addresses/local-names.ts';
import { qrLines } from './tls/qr-code.ts';

/** How the terminal tells whoever started the server where it is. */

export function formatAddresses({ own, others }: ListenAddresses): string {
  const lines = [
    ...own.map((address) => `  On this machine      ${address}`),
    ...others.map((address) => `  On a phone or a TV   ${address}`),
  ];
  return ['', '  Fourfold is running.', '', ...lines].join('\n');
}

/** @param page where devices get the authority's certificate */
export function formatAuthority(page: string, fingerprint: string): string {
  const parts = fingerprint.split(':');
  const half = parts.length / 2;
  const isForOthers = !isLoopbackHost(new URL(page).hostname);
  return [
    '',
    `  ${isForOthers ? 'Other devices' : 'Browsers on this machine'} trust the https addresses after they have installed this`,
    `  server's certificate, once each:  ${page}`,
    `  SHA-256  ${parts.slice(0, half).join(':')}`,
    `           ${parts.slice(half).join(':')}`,
  ].join('\n');
}

export function formatQrCode(address: string): string {
  return ['', ...qrLines(address).map((line) => `  ${line}`), `  ${address}`].join('\n');
}
