import { useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import * as confirmations from '#contract/confirmations.ts';
import type { Job, JobKindCounts } from '#contract/entities/library.ts';
import shared from '../section.module.css';
import { FailedJobList } from './failed-job-list.tsx';
import { countsText, kindName } from './job-words.ts';
import { cancelWaiting, jobActions, retryAllFailed } from './jobs-store.ts';
import { RunningJob } from './running-job.tsx';

interface Props {
  counts: JobKindCounts;
  running: readonly Snapshot<Job>[];
}

/** All work of one kind. */
export function KindCard({ counts, running }: Props) {
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
