import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { countText } from '#app/ui/count-text.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import type { Job } from '#contract/entities/library.ts';
import { EntryRow } from '../entry-row.tsx';
import { Moment } from '../moment.tsx';
import shared from '../section.module.css';
import { kindName } from './job-words.ts';
import styles from './jobs-section.module.css';
import type { FailedJobs } from './jobs-store.ts';
import { createFailedJobs, jobActions, retryOne } from './jobs-store.ts';

interface Props {
  kind: string;
  /** How many there are: another number loads the page again. */
  failed: number;
}

/** The failed work of a kind, each with its reason. */
export function FailedJobList({ kind, failed }: Props) {
  const [list] = useState(() => createFailedJobs(kind));
  const state = useSnapshot(list.state);
  useEffect(() => list.open(), [list]);
  const loaded = useRef(failed);
  useEffect(() => {
    if (loaded.current === failed) return;
    loaded.current = failed;
    void list.reload();
  }, [list, failed]);
  return (
    <div className={styles.failed}>
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void list.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={<p className={shared.empty}>Nothing has failed.</p>}
      >
        <ul aria-label={`Failed: ${kindName(kind)}`} aria-busy={state.isLoading}>
          {state.items.map((job) => (
            <FailedJob key={job.id} job={job} list={list} />
          ))}
        </ul>
      </ListBody>
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => list.goTo(page)}
        note={countText(state.total ?? 0, 'job')}
      />
    </div>
  );
}

function FailedJob({ job: { id, error, attempts, finished_at }, list }: { job: Job; list: FailedJobs }) {
  const { isBusy } = useSnapshot(jobActions);
  const { isReachable } = useSnapshot(connection);
  const reason = error ?? 'It gave no reason.';
  return (
    <EntryRow
      label={<bdi className={styles.reason}>{reason}</bdi>}
      actions={
        <Button
          kind="line"
          label="Retry"
          name={`Retry: ${reason}`}
          isDisabled={isBusy || !isReachable}
          onPress={() => void retryOne(list, id)}
        />
      }
    >
      <p>
        {countText(attempts, 'attempt')}
        {finished_at !== null && (
          <>
            , the last one <Moment time={finished_at} />
          </>
        )}
      </p>
    </EntryRow>
  );
}
