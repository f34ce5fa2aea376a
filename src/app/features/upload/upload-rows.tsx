import type { Ref } from 'react';
import { useLayoutEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Bar } from '#app/ui/bar.tsx';
import { Button } from '#app/ui/button.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { countText } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import { failures } from '#contract/failures.ts';
import { openEula, uploadAccess } from './access-store.ts';
import { UploadRowView } from './upload-row.tsx';
import styles from './upload-rows.module.css';
import {
  cancelClearing,
  clearAll,
  clearCompleted,
  clearEverything,
  pauseAll,
  resumeAll,
  startSending,
  uploadScreen,
} from './upload-store.ts';
import { leftText, useSummary, useUploads } from './upload-summary.ts';

/** The files of a list that is not empty, and the actions on all of them. */
export function UploadRows() {
  const ids = useUploads(({ rows }) => rows.map(({ id }) => id).join(' '));
  const isMoving = useSummary(({ isMoving }) => isMoving);
  return (
    <>
      <ListSummary />
      <ul className={styles.list} data-focus-region>
        {ids.split(' ').map((id, index) => (
          <UploadRowView key={id} index={index} isMoving={isMoving} />
        ))}
      </ul>
      <ListFoot />
    </>
  );
}

/** The progress of all files; hidden until the first of them was started. */
function ListSummary() {
  const { secondsLeft } = useSnapshot(uploads);
  const { total, completed, failed, ready, percent, isRunning } = useSummary((summary) => summary);
  if (ready === total) return null;
  return (
    <div className={styles.summary}>
      <div className={styles.line}>
        <h2 className={styles.count}>{`${completed} of ${total} completed`}</h2>
        <span className={styles.percent}>{`${percent}%`}</span>
      </div>
      <Bar share={percent / 100} label="All files" />
      {isRunning && secondsLeft !== null && <p className={styles.left}>{leftText(secondsLeft)}</p>}
      {failed > 0 && (
        // Each failure is announced by the shell.
        <p className={styles.failed}>{failures.filesFailed(failed)}</p>
      )}
    </div>
  );
}

/** The actions on all files. */
function ListFoot() {
  const { isAskingToClear } = useSnapshot(uploadScreen);
  const hasCompleted = useSummary(({ completed }) => completed > 0);
  const isRunning = useSummary(({ isRunning }) => isRunning);
  const hasPaused = useSummary(({ hasPaused }) => hasPaused);
  const { start, pause } = useFocusAfterStart();
  return (
    <div className={styles.foot}>
      <div className={styles.others}>
        {isRunning && <Button ref={pause} kind="quiet" label="Pause all" onPress={() => void pauseAll()} />}
        {!isRunning && hasPaused && <Button kind="quiet" label="Resume all" onPress={() => void resumeAll()} />}
        {hasCompleted && <Button kind="quiet" label="Clear Completed" onPress={() => void clearCompleted()} />}
        <Button kind="quiet" label="Clear All" onPress={clearAll} />
      </div>
      <MainButton isRunning={isRunning} ref={start} />
      {isAskingToClear && (
        <ConfirmDialog
          title="Clear All"
          sentence={confirmations.clearRunningUploads}
          action="Clear All"
          onConfirm={() => void clearEverything()}
          onClose={cancelClearing}
        />
      )}
    </div>
  );
}

/**
 * Moves the focus away from the start button when it is disabled: otherwise the next press could
 * reach the buttons beside it, which remove files.
 */
function useFocusAfterStart() {
  const start = useRef<HTMLButtonElement>(null);
  const pause = useRef<HTMLButtonElement>(null);
  const isBusy = useSummary(({ isRunning, ready }) => isRunning && ready === 0);
  useLayoutEffect(() => {
    if (isBusy && document.activeElement === start.current) pause.current?.focus();
  }, [isBusy]);
  return { start, pause };
}

/** The main button. Its label says what is missing or in progress (§2 Upload Videos). */
function MainButton({ isRunning, ref }: { isRunning: boolean; ref: Ref<HTMLButtonElement> }) {
  const { isEulaAccepted } = useSnapshot(uploadAccess);
  const { isStarting } = useSnapshot(uploadScreen);
  const ready = useSummary(({ ready }) => ready);
  if (ready > 0 && isEulaAccepted === false) return <Button label="Accept EULA to Upload" onPress={openEula} />;
  if (ready === 0 && (isRunning || isStarting)) return <Button ref={ref} label="Uploading..." isDisabled />;
  if (ready === 0) return null;
  const label = isStarting ? 'Uploading...' : `Upload ${countText(ready, 'file')}`;
  return <Button ref={ref} label={label} onPress={() => void startSending()} />;
}
