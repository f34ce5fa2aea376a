import { useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { Card } from '#app/ui/card.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { agoText, countText } from '#app/ui/texts.ts';
import { useNarrow } from '#app/ui/watch-size.ts';
import { listActiveViewers } from '#contract/endpoints.ts';
import type { ActiveViewer, ActiveViewers } from '#contract/entities/performance.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { now } from '#device/timers.ts';
import shared from './section.module.css';

/** The active viewers without names, those with the most stalls first. */
export function ViewersSection() {
  const state = useSnapshot(viewers.state);
  useEffect(() => viewers.open(), []);
  return (
    <Card title="Watching now" end={state.value && <p>{countText(state.value.total, 'viewer')}</p>}>
      <p className={shared.note}>
        As the server that answers counts them. It has these figures in its memory only, without names, and writes none
        of them into a log.
      </p>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void viewers.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={null}
      >
        {state.value?.total === 0 && <p className={shared.empty}>Nobody is watching.</p>}
        {state.value && state.value.total > 0 && <ViewerTable active={state.value} />}
      </ListBody>
    </Card>
  );
}

function ViewerTable({ active: { total, viewers: listed } }: { active: Snapshot<ActiveViewers> }) {
  const isNarrow = useNarrow();
  const more = total - listed.length;
  return (
    <>
      <Table
        label="Watching now"
        columns={viewerColumns(isNarrow)}
        rows={listed.map((viewer, index) => ({ ...viewer, key: String(index) }))}
        idOf={({ key }) => key}
        nameOf={({ key }) => key}
        isReadOnly
      />
      {more > 0 && <p className={shared.note}>{more.toLocaleString()} more</p>}
    </>
  );
}

/** The active viewers. */
const viewers = new Resource<ActiveViewers>({
  load: (signal) => call(listActiveViewers, { signal }),
  toSentence: failures.loadViewers,
  refreshMs: () => limits.dashboardRefreshMs,
});

interface ViewerRow extends ActiveViewer {
  /** The position in the list, because viewers have no names. */
  key: string;
}

const devices = { phone: 'Phone', tablet: 'Tablet', desktop: 'Desktop', tv: 'TV' };

function deviceText(form: ActiveViewer['form']): string {
  return form === null ? 'Unknown' : devices[form];
}

/**
 * @param isList whether the figures share one line without column titles, so each states its unit
 */
function viewerColumns(isList: boolean): Column<ViewerRow>[] {
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
