import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { countText } from '#app/ui/texts.ts';
import { dismissReports, hideVideo } from '#contract/endpoints.ts';
import type { ReportedVideo } from '#contract/entities/library.ts';
import { reportReasons } from '#contract/rules/video-details.ts';
import shared from '../section.module.css';
import { EntryRow, Moment } from '../section-parts.tsx';
import styles from './library-section.module.css';
import { library, reportedVideos } from './library-store.ts';
import { hiddenVideos, Poster } from './video-lists.tsx';

/** Videos that viewers have reported, each with the latest reports, to be hidden or left. */
export function ReportsCard() {
  const state = useSnapshot(reportedVideos.state) as typeof reportedVideos.state;
  const { sentence } = useSnapshot(reportsRefusal);
  useEffect(openList, []);
  return (
    <Card title="Reports">
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void reportedVideos.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={<p className={shared.empty}>No video is reported. What viewers report is listed here.</p>}
      >
        <ul aria-label="Reports" aria-busy={state.isLoading}>
          {state.items.map((video) => (
            <ReportedRow key={video.id} video={video} />
          ))}
        </ul>
      </ListBody>
      <Notice notice={sentence === null ? null : { kind: 'danger', sentence }} />
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => reportedVideos.goTo(page)}
        note={countText(state.total ?? 0, 'video')}
      />
    </Card>
  );
}

function ReportedRow({ video: { id, root, path, poster_url, count, reports } }: { video: ReportedVideo }) {
  const { isReachable } = useSnapshot(connection);
  const actions = (
    <>
      <Button
        kind="line"
        label="Hide video"
        name={`Hide video ${path}`}
        isDisabled={!isReachable}
        onPress={() => void hide(id)}
      />
      <Button
        kind="line"
        label="Dismiss"
        name={`Dismiss the reports of ${path}`}
        isDisabled={!isReachable}
        onPress={() => void dismiss(id)}
      />
    </>
  );
  return (
    <EntryRow poster={<Poster url={poster_url} />} label={<bdi>{path}</bdi>} actions={actions}>
      <p>
        <bdi>{root}</bdi>, {countText(count, 'report')}
      </p>
      {reports.map(({ reason, text, at, by }) => (
        <p key={`${at} ${by} ${text}`}>
          {reportReasons[reason]}
          {text !== '' && (
            <>
              {': '}
              <bdi>{text}</bdi>
            </>
          )}
          {', '}
          <Moment time={at} /> by {by === null ? 'somebody' : <bdi>{by}</bdi>}
        </p>
      ))}
      {count > reports.length && <p>{`and ${count - reports.length} more`}</p>}
    </EntryRow>
  );
}

/** Why a video could not be hidden, or its reports not dismissed. */
const reportsRefusal = proxy<{ sentence: string | null }>({ sentence: null });

/** Opens the list. Returns a function that closes it. */
function openList(): () => void {
  reportsRefusal.sentence = null;
  return reportedVideos.open();
}

function dismiss(id: string): Promise<void> {
  return settle(id, () => call(dismissReports, { params: { id } }));
}

/** Hides a video, which closes its reports. */
function hide(id: string): Promise<void> {
  return settle(id, async () => {
    await call(hideVideo, { params: { id } });
    void hiddenVideos.reload();
    void library.reload();
  });
}

async function settle(id: string, send: () => Promise<unknown>): Promise<void> {
  reportsRefusal.sentence = null;
  try {
    await reportedVideos.remove(id, send);
  } catch (error) {
    reportsRefusal.sentence = readRefusal(error);
  }
}
