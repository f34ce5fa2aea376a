import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Bar } from '#app/ui/bar.tsx';
import { Button } from '#app/ui/button.tsx';
import type { Job } from '#contract/entities/library.ts';
import { EntryRow } from '../entry-row.tsx';
import { Since } from '../moment.tsx';
import { kindName } from './job-words.ts';
import styles from './jobs-section.module.css';
import { cancelRunning, jobActions } from './jobs-store.ts';

export function RunningJob({ job: { id, kind, progress, started_at, attempts } }: { job: Snapshot<Job> }) {
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
