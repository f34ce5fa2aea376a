import { useEffect, useRef, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Bar } from '#app/ui/bar.tsx';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { countText } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import type { Job, JobKindCounts } from '#contract/entities/library.ts';
import { countsText, kindName } from './job-words.ts';
import styles from './jobs-section.module.css';
import type { FailedJobs } from './jobs-store.ts';
import {
  cancelRunning,
  cancelWaiting,
  createFailedJobs,
  jobActions,
  jobs,
  resetJobActions,
  retryAllFailed,
  retryOne,
} from './jobs-store.ts';
import shared from './section.module.css';
import { EntryRow, Moment, Since } from './section-parts.tsx';

/** Background jobs, one card for each kind. */
export function JobsSection() {
  const state = useSnapshot(jobs.state);
  const { notice } = useSnapshot(jobActions);
  useEffect(() => jobs.open(), []);
  useEffect(() => resetJobActions, []);
  return (
    <div className={shared.section}>
      <Notice notice={notice} />
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void jobs.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {state.value?.kinds.length === 0 && (
          <p className={shared.empty}>No work yet. Scans and posters are listed here while they are made.</p>
        )}
        {state.value?.kinds.map((counts) => (
          <KindCard
            key={counts.kind}
            counts={counts}
            running={state.value?.running.filter(({ kind }) => kind === counts.kind) ?? []}
          />
        ))}
      </ListBody>
    </div>
  );
}

interface Props {
  counts: JobKindCounts;
  running: readonly Snapshot<Job>[];
}

/** All jobs of one kind. */
function KindCard({ counts, running }: Props) {
  const [isListOpen, setListOpen] = useState(false);
  const isListShown = isListOpen && counts.failed > 0;
  return (
    <Card title={kindName(counts.kind)}>
      <p className={shared.quiet}>{countsText(counts)}</p>
      {running.length > 0 && (
        <ul aria-label={`Running: ${kindName(counts.kind)}`}>
          {running.map((job) => (
            <RunningJob key={job.id} job={job} />
          ))}
        </ul>
      )}
      <Actions counts={counts} isListShown={isListShown} onToggleList={() => setListOpen(!isListOpen)} />
      {isListShown && <FailedJobList kind={counts.kind} failed={counts.failed} />}
    </Card>
  );
}

interface ActionsProps {
  counts: JobKindCounts;
  isListShown: boolean;
  onToggleList: () => void;
}

function Actions({ counts: { kind, queued, failed }, isListShown, onToggleList }: ActionsProps) {
  const [isAsked, setAsked] = useState(false);
  const { isBusy } = useSnapshot(jobActions);
  const { isReachable } = useSnapshot(connection);
  const name = kindName(kind);
  const isDisabled = isBusy || !isReachable;
  const confirm = () => {
    setAsked(false);
    void cancelWaiting(kind);
  };
  if (queued === 0 && failed === 0) return null;
  return (
    <div className={shared.buttons}>
      {failed > 0 && (
        <>
          <Button
            kind="tonal"
            label="Retry all failed"
            name={`Retry all failed: ${name}`}
            isDisabled={isDisabled}
            onPress={() => void retryAllFailed(kind)}
          />
          <Button
            kind="line"
            label={isListShown ? 'Hide failed' : 'Show failed'}
            name={`${isListShown ? 'Hide failed' : 'Show failed'}: ${name}`}
            onPress={onToggleList}
          />
        </>
      )}
      {queued > 0 && (
        <Button
          kind="danger"
          label="Cancel waiting"
          name={`Cancel waiting: ${name}`}
          isDisabled={isDisabled}
          onPress={() => setAsked(true)}
        />
      )}
      {isAsked && (
        <ConfirmDialog
          title="Cancel Waiting Jobs"
          sentence={confirmations.cancelWaitingJobs(queued, name)}
          action="Cancel them"
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        />
      )}
    </div>
  );
}

function RunningJob({ job: { id, kind, progress, started_at, attempts } }: { job: Snapshot<Job> }) {
  const { isBusy } = useSnapshot(jobActions);
  const { isReachable } = useSnapshot(connection);
  return (
    <EntryRow
      label={`${Math.round(progress)} %`}
      actions={
        <Button
          kind="line"
          label="Cancel"
          name={`Cancel: ${kindName(kind)}`}
          isDisabled={isBusy || !isReachable}
          onPress={() => void cancelRunning(id)}
        />
      }
    >
      <div className={styles.progress}>
        <Bar share={progress / 100} label={kindName(kind)} />
      </div>
      {started_at !== null && (
        <p>
          Running <Since time={started_at} />
          {attempts > 1 && `, attempt ${attempts}`}
        </p>
      )}
    </EntryRow>
  );
}

interface FailedJobListProps {
  kind: string;
  /** Number of failed jobs. The page is reloaded when it changes. */
  failed: number;
}

/** The failed jobs of a kind, each with its reason. */
function FailedJobList({ kind, failed }: FailedJobListProps) {
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
