import { useSnapshot } from 'valtio';
import { Button } from '#app/ui/button.tsx';
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
  return (
    <div className={styles.foot}>
      <div className={styles.others}>
        {isRunning && <Button kind="quiet" label="Pause all" onPress={() => void pauseAll()} />}
        {!isRunning && hasPaused && <Button kind="quiet" label="Resume all" onPress={() => void resumeAll()} />}
        {hasCompleted && <Button kind="quiet" label="Clear Completed" onPress={() => void clearCompleted()} />}
        <Button kind="quiet" label="Clear All" onPress={clearAll} />
      </div>
      <MainButton isRunning={isRunning} />
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

/** §2: its label is what is missing, or under way. */
function MainButton({ isRunning }: { isRunning: boolean }) {
  const { isEulaAccepted } = useSnapshot(uploadAccess);
  const { isStarting } = useSnapshot(uploadScreen);
  const ready = useUploads(({ rows }) => summaryOf(rows).ready);
  if (ready > 0 && isEulaAccepted === false) return <Button label="Accept EULA to Upload" onPress={openEula} />;
  if (isStarting || (isRunning && ready === 0)) return <Button label="Uploading..." isDisabled />;
  if (ready === 0) return null;
  return <Button label={`Upload ${ready} ${ready === 1 ? 'file' : 'files'}`} onPress={() => void startUploads()} />;
}
