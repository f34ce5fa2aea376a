import type { ChartPoint } from './chart-points.ts';
import { lastValue, thinPoints } from './chart-points.ts';

/** As many as somebody listens to. */
const maxRows = 30;

interface Props {
  /** What is measured, and when: 'Network bandwidth, last 5 minutes'. */
  label: string;
  unit: string;
  points: readonly ChartPoint[];
  threshold?: string | undefined;
}

/** The values of a chart for screen readers. */
export function ValueTable({ label, unit, points, threshold }: Props) {
  return (
    <div className="visually-hidden">
      <table>
        <caption>
          {`${label}: ${summaryOf(points, unit)}.`}
          {threshold !== undefined && ` ${threshold}.`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">{unit}</th>
          </tr>
        </thead>
        <tbody>
          {thinPoints(points, maxRows).map(({ at, value }) => (
            <tr key={at}>
              <th scope="row">{new Date(at).toLocaleTimeString()}</th>
              <td>{value === null ? 'no data' : roundedText(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** 'between 9 and 59 Mbps, last 42.6 Mbps', or that there is nothing. */
function summaryOf(points: readonly ChartPoint[], unit: string): string {
  const last = lastValue(points);
  if (!last) return 'no data';
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const [lowest, highest] = [roundedText(Math.min(...values)), roundedText(Math.max(...values))];
  const range = lowest === highest ? `${lowest} ${unit}` : `between ${lowest} and ${highest} ${unit}`;
  return `${range}, last ${roundedText(last.value)} ${unit}`;
}

function roundedText(value: number): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: 1 });
}
