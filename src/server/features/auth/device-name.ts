/** Most telling first: nearly every browser also says that it is Chrome, and every Chrome that it is Safari. */
const browsers: readonly [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const systems: readonly [RegExp, string][] = [
  [/Web0S|webOS/i, 'an LG TV'],
  [/Tizen/, 'a Samsung TV'],
  [/VIDAA/, 'a Hisense TV'],
  [/AFT\w+|Fire TV/, 'Fire TV'],
  [/Xbox/, 'Xbox'],
  [/iPad/, 'iPad'],
  [/iPhone/, 'iPhone'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

/**
 * What its owner reads of a device: 'Firefox on Linux'. What a browser says of itself is otherwise neither kept nor
 * shown.
 */
export function deviceName(userAgent: string | undefined): string {
  const agent = (userAgent ?? '').slice(0, 1_000);
  const browser = nameIn(browsers, agent);
  const system = nameIn(systems, agent);
  if (browser !== null && system !== null) return `${browser} on ${system}`;
  return browser ?? system ?? 'Unknown device';
}

function nameIn(names: readonly [RegExp, string][], agent: string): string | null {
  return names.find(([sign]) => sign.test(agent))?.[1] ?? null;
}
