export interface MetricFamily {
  help: string;
  type: string;
  samples: MetricSample[];
}

interface MetricSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const types = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
/** What the names of a family's samples may end with. */
const suffixes: Record<string, readonly string[]> = { histogram: ['_bucket', '_sum', '_count'] };
const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const valueShape = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/;

/**
 * Reads Prometheus' text format 0.0.4 and takes nothing that is out of order.
 * @throws Error with the line that is wrong
 */
export function parseMetrics(text: string): Map<string, MetricFamily> {
  if (!text.endsWith('\n')) throw new Error('The last line does not end.');
  const families = new Map<string, MetricFamily>();
  const seen = new Set<string>();
  let family: [string, MetricFamily] | null = null;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, keyword, of = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') family = [of, addFamily(families, of, rest)];
    else if (keyword === 'TYPE') setType(family, of, rest);
    else if (family === null || line.startsWith('#')) throw new Error(`Out of order: ${line}`);
    else addSample(family, line, seen);
  }
  return families;
}

function addFamily(families: Map<string, MetricFamily>, of: string, help: string): MetricFamily {
  if (!name.test(of) || families.has(of)) throw new Error(`No name, or the second of it: ${of}`);
  if (/\\(?![\\n])/.test(help)) throw new Error(`An escape that is none: ${help}`);
  const family = { help, type: '', samples: [] };
  families.set(of, family);
  return family;
}

function setType(family: [string, MetricFamily] | null, of: string, type: string): void {
  const isDue = family !== null && family[0] === of && family[1].type === '' && types.includes(type);
  if (!isDue) throw new Error(`A type out of order: ${of} ${type}`);
  family[1].type = type;
}

function addSample([of, family]: [string, MetricFamily], line: string, seen: Set<string>): void {
  const [, sampleName = '', , labelText, value = ''] = /^([^{\s]+)(\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const allowed = (suffixes[family.type] ?? ['']).map((suffix) => of + suffix);
  if (family.type === '' || !allowed.includes(sampleName) || !valueShape.test(value))
    throw new Error(`No sample of ${of}: ${line}`);
  const labels = parseLabels(labelText ?? '');
  const identity = JSON.stringify([sampleName, Object.entries(labels).sort()]);
  if (seen.has(identity)) throw new Error(`Twice: ${line}`);
  seen.add(identity);
  family.samples.push({ name: sampleName, labels, value: Number(value.replace('Inf', 'Infinity')) });
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const [whole = '', label = '', value = ''] = /^([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/.exec(rest) ?? [];
    if (whole === '' || label in labels) throw new Error(`No labels: ${text}`);
    labels[label] = value.replaceAll(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign));
    rest = rest.slice(whole.length);
  }
  return labels;
}

/** The one sample with these labels; undefined without one. */
export function findValue(
  families: Map<string, MetricFamily>,
  sampleName: string,
  labels: Record<string, string> = {},
): number | undefined {
  const family = families.get(sampleName) ?? families.get(sampleName.replace(/_(bucket|sum|count)$/, ''));
  const wanted = Object.entries(labels);
  const found = family?.samples.filter(
    (sample) => sample.name === sampleName && wanted.every(([label, value]) => sample.labels[label] === value),
  );
  if (found !== undefined && found.length > 1) throw new Error(`Several: ${sampleName} ${JSON.stringify(labels)}`);
  return found?.[0]?.value;
}
