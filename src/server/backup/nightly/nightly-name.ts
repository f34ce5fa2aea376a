import { partialEnd } from '../partial-file.ts';

/** Names sort by their time. @param at epoch milliseconds */
export function nightlyName(at: number): string {
  return `fourfold-nightly-${stampOf(at)}.tar.gz`;
}

/** What a backup is called that somebody asks for without naming it; no rotation removes it. */
export function manualName(at: number): string {
  return `fourfold-${stampOf(at)}.tar.gz`;
}

/** `2026-11-22T04-00-00Z`: no file system minds it. */
function stampOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
}

const shape = /^fourfold-nightly-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar\.gz$/;

export function isNightlyName(name: string): boolean {
  return shape.test(name);
}

/** What a nightly backup that was cut off has left. */
export function isNightlyPartial(name: string): boolean {
  const [whole = '', rest = ''] = name.split('.tar.gz');
  return isNightlyName(`${whole}.tar.gz`) && rest.endsWith(partialEnd);
}
