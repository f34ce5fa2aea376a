import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { fittingAddress } from '#app/playback/quality/rendition-choice.ts';
import { may, stepSeconds } from '#app/state/may.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { requestVideoAct } from '#app/state/view-requests.ts';
import { Card, Notice } from '#app/ui/card.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { PlayerModal, VideoActButtons } from '#app/ui/media/player-modal.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { useNarrow } from '#app/ui/store-hooks.ts';
import { countText } from '#app/ui/texts.ts';
import { listTroubledVideos, readVideo } from '#contract/endpoints.ts';
import type { Performance, TroubledVideo, TroubledVideos } from '#contract/entities/performance.ts';
import type { Video } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { TimeWindow } from '#contract/rules/health.ts';
import { startFailures } from '#contract/start.ts';
import shared from './section.module.css';
import styles from './videos-section.module.css';

interface Props {
  window: Performance['duration'];
}

/** Videos that stalled or failed in the window, worst first. A press plays one. */
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
      <TroubledPlayer onHidden={() => void list.resource.reload()} />
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

/** The list of videos that stalled or failed in a time window. */
class TroubledVideoList {
  readonly resource: Resource<TroubledVideos>;
  private window: TimeWindow;

  constructor(window: TimeWindow) {
    this.window = window;
    this.resource = new Resource<TroubledVideos>({
      load: (signal) => call(listTroubledVideos, { query: { duration: this.window }, signal }),
      toSentence: failures.loadTroubledVideos,
      refreshMs: () => limits.dashboardRefreshMs,
    });
  }

  /** Changes the window. The shown list stays until the new one is loaded. */
  choose(window: TimeWindow): void {
    if (window === this.window) return;
    this.window = window;
    void this.resource.reload();
  }
}

/**
 * @param isList whether the figures share one line without column titles, so each states its unit
 */
function videoColumns(isList: boolean): Column<TroubledVideo>[] {
  const count = (value: number, noun: string) => (isList ? countText(value, noun) : value.toLocaleString());
  return [
    { title: 'Video', inList: 'name', cell: (video) => <VideoName video={video} /> },
    { title: 'Stalls', inList: 'fact', isNumber: true, cell: ({ stall_events }) => count(stall_events, 'stall') },
    { title: 'Breaks', inList: 'fact', isNumber: true, cell: ({ failures }) => count(failures, 'break') },
    {
      title: 'Played',
      inList: 'fact',
      isNumber: true,
      cell: ({ minutes }) => (
        <span className={styles.minutes}>{isList ? `${minutesText(minutes)} played` : minutesText(minutes)}</span>
      ),
    },
  ];
}

function VideoName({ video: { id, filename } }: { video: TroubledVideo }) {
  return (
    <button type="button" className={styles.play} aria-label={`Play ${filename}`} onClick={() => void play(id)}>
      <bdi>{filename}</bdi>
    </button>
  );
}

function minutesText(minutes: number): string {
  return `${minutes.toLocaleString(undefined, { maximumFractionDigits: minutes < 10 ? 1 : 0 })} min`;
}

/** The video that plays over the screen, if one does. */
function TroubledPlayer({ onHidden }: { onHidden: () => void }) {
  const { video } = useSnapshot(player);
  const viewer = useSnapshot(session);
  const own = useSnapshot(settings);
  if (video === null) return null;
  const leave = (id: string) => {
    if (player.video?.id === id) closePlayer();
    onHidden();
  };
  return (
    <PlayerModal
      title={video.title}
      url={video.url}
      posterUrl={video.poster_url}
      seekStepSeconds={stepSeconds(viewer, own)}
      actions={
        <VideoActButtons
          onReport={() => requestVideoAct({ kind: 'report', video })}
          onHide={may('admin_panel', viewer) ? () => requestVideoAct({ kind: 'hide', video, onHidden: leave }) : null}
        />
      }
      onClose={closePlayer}
    />
  );
}

interface PlayerState {
  /** The video that plays over the screen. */
  video: Pick<Video, 'id' | 'title' | 'url' | 'poster_url'> | null;
  /** Why the requested video does not play. */
  failure: string | null;
}

const player = proxy<PlayerState>({ video: null, failure: null });

/** Aborted when another video is chosen or the screen closes. */
let asking = new AbortController();

/** Requests the URL of the video, which the list does not contain, and plays it. */
async function play(id: string): Promise<void> {
  closePlayer();
  asking = new AbortController();
  const { signal } = asking;
  try {
    const { video } = await call(readVideo, { params: { id }, signal });
    const url = video.available ? await fittingAddress(video, settings.quality, signal) : null;
    if (signal.aborted) return;
    if (url !== null) player.video = { ...video, url };
    else player.failure = video.message ?? startFailures.loadVideo;
  } catch {
    if (!signal.aborted) player.failure = startFailures.loadVideo;
  }
}

function closePlayer(): void {
  asking.abort();
  Object.assign(player, { video: null, failure: null });
}
