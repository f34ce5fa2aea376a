import type { Ref } from 'react';
import { useLayoutEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '#app/ui/button.tsx';
import { countText } from '#app/ui/count-text.ts';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import { clearRunningUploads } from '#contract/confirmations.ts';
import { openEula, uploadAccess } from '../access-store.ts';
import {
  cancelClearing,
  clearAll,
  clearCompleted,
  clearEverything,
  pauseAll,
  resumeAll,
  startUploads,
  uploadScreen,
} from '../upload-store.ts';
import styles from './list-foot.module.css';
import { summaryOf } from './upload-summary.ts';
import { useUploads } from './use-uploads.ts';

/** What can be done with all files. */
export function ListFoot() {
  const { isAskingToClear } = useSnapshot(uploadScreen);
  const hasCompleted = useUploads(({ rows }) => summaryOf(rows).completed > 0);
  const isRunning = useUploads(({ rows }) => summaryOf(rows).isRunning);
  const hasPaused = useUploads(({ rows }) => summaryOf(rows).hasPaused);
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
          sentence={clearRunningUploads}
          action="Clear All"
          onConfirm={() => void clearEverything()}
          onClose={cancelClearing}
        />
      )}
    </div>
  );
}

/** Beside the button that starts, once that is disabled, are those that remove files: the next press is not for them. */
function useFocusAfterStart() {
  const start = useRef<HTMLButtonElement>(null);
  const pause = useRef<HTMLButtonElement>(null);
  const isBusy = useUploads(({ rows }) => isAllStarted(rows));
  useLayoutEffect(() => {
    if (isBusy && document.activeElement === start.current) pause.current?.focus();
  }, [isBusy]);
  return { start, pause };
}

function isAllStarted(rows: Parameters<typeof summaryOf>[0]): boolean {
  const { isRunning, ready } = summaryOf(rows);
  return isRunning && ready === 0;
}

/** §2: its label is what is missing, or under way. */
function MainButton({ isRunning, ref }: { isRunning: boolean; ref: Ref<HTMLButtonElement> }) {
  const { isEulaAccepted } = useSnapshot(uploadAccess);
  const { isStarting } = useSnapshot(uploadScreen);
  const ready = useUploads(({ rows }) => summaryOf(rows).ready);
  if (ready > 0 && isEulaAccepted === false) return <Button label="Accept EULA to Upload" onPress={openEula} />;
  if (ready === 0 && (isRunning || isStarting)) return <Button ref={ref} label="Uploading..." isDisabled />;
  if (ready === 0) return null;
  const label = isStarting ? 'Uploading...' : `Upload ${countText(ready, 'file')}`;
  return <Button ref={ref} label={label} onPress={() => void startUploads()} />;
}
