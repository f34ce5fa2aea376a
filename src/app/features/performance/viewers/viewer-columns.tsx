import { now } from '#app/platform/timers.ts';
import { countText } from '#app/ui/count-text.ts';
import { agoText } from '#app/ui/elapsed-text.ts';
import type { Column } from '#app/ui/list/table.tsx';
import type { ActiveViewer } from '#contract/entities/performance.ts';

interface ViewerRow extends ActiveViewer {
  /** Its place in the list: viewers have no names. */
  key: string;
}

const devices = { phone: 'Phone', tablet: 'Tablet', desktop: 'Desktop', tv: 'TV' };

function deviceText(form: ActiveViewer['form']): string {
  return form === null ? 'Unknown' : devices[form];
}

/** @param isList whether figures stand in one line, without the titles of columns, and say themselves what they count */
export function viewerColumns(isList: boolean): Column<ViewerRow>[] {
  const count = (value: number, noun: string) => (isList ? countText(value, noun) : value.toLocaleString());
  return [
    { title: 'Device', inList: 'name', cell: ({ form }) => deviceText(form) },
    { title: 'Network', inList: 'fact', cell: ({ address }) => <bdi>{address || 'Unknown'}</bdi> },
    { title: 'Quadrants', inList: 'fact', isNumber: true, cell: ({ quadrants }) => count(quadrants, 'quadrant') },
    { title: 'Bandwidth', inList: 'fact', isNumber: true, cell: ({ bandwidth_mbps }) => bandwidthText(bandwidth_mbps) },
    { title: 'Stalls', inList: 'fact', isNumber: true, cell: ({ stall_events }) => count(stall_events, 'stall') },
    {
      title: 'Since',
      inList: 'fact',
      cell: ({ since }) => <time dateTime={since}>{agoText(since, now())}</time>,
    },
  ];
}

function bandwidthText(mbps: number | null): string {
  if (mbps === null) return '–';
  return `${mbps.toLocaleString(undefined, { maximumFractionDigits: 1 })} Mbps`;
}
