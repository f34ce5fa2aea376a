import { useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { Card } from '#app/ui/card/card.tsx';
import { countText } from '#app/ui/count-text.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { useNarrow } from '#app/ui/use-narrow.ts';
import type { ActiveViewers } from '#contract/entities/performance.ts';
import shared from '../section.module.css';
import { viewerColumns } from './viewer-columns.tsx';
import { viewers } from './viewers-store.ts';

/** Who is watching now, without names: the first of them, by stalls. */
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
