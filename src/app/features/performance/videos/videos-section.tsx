import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { useNarrow } from '#app/ui/use-narrow.ts';
import type { Performance, TroubledVideo } from '#contract/entities/performance.ts';
import shared from '../section.module.css';
import { closePlayer, player } from './player-store.ts';
import { TroubledPlayer } from './troubled-player.tsx';
import { TroubledVideoList } from './troubled-video-list.ts';
import { videoColumns } from './video-columns.tsx';

interface Props {
  window: Performance['duration'];
}

/** Videos that stalled or broke off in the window, the worst first; a press plays one. */
export function VideosSection({ window }: Props) {
  const [list] = useState(() => new TroubledVideoList(window));
  const state = useSnapshot(list.resource.state);
  const { failure } = useSnapshot(player);
  useEffect(() => list.resource.open(), [list]);
  useEffect(() => list.choose(window), [list, window]);
  useEffect(() => closePlayer, []);
  return (
    <Card title="Videos with trouble">
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void list.resource.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={null}
      >
        {state.value && <VideoTable videos={state.value.videos} />}
      </ListBody>
      <Notice notice={failure === null ? null : { kind: 'danger', sentence: failure }} />
      <TroubledPlayer />
    </Card>
  );
}

function VideoTable({ videos }: { videos: readonly TroubledVideo[] }) {
  const isNarrow = useNarrow();
  if (videos.length === 0) return <p className={shared.empty}>No video stalled or broke off in this window.</p>;
  return (
    <Table
      label="Videos with trouble"
      columns={videoColumns(isNarrow)}
      rows={videos}
      idOf={({ id }) => id}
      nameOf={({ filename }) => filename}
    />
  );
}
