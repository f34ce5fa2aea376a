import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { EntryRow } from '../entry-row.tsx';
import shared from '../section.module.css';
import styles from './import-card.module.css';
import type { ImportPlan } from './import-store.ts';
import { resetImport, startImport, tagImport } from './import-store.ts';
import { changesNothing, lineText, moreText, planTexts } from './import-words.ts';

/** What the import of a file would change, to be confirmed. */
export function ImportPlanPanel({ plan }: { plan: Snapshot<ImportPlan> }) {
  const { isImporting } = useSnapshot(tagImport);
  const { isReachable } = useSnapshot(connection);
  return (
    <div className={styles.plan}>
      <h3 className={styles.filename}>
        <bdi>{plan.filename}</bdi>
      </h3>
      <ul>
        {planTexts(plan).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      <div className={shared.buttons}>
        {!changesNothing(plan) && (
          <Button
            label={isImporting ? 'Importing...' : 'Import'}
            isDisabled={isImporting || !isReachable}
            onPress={() => void startImport()}
          />
        )}
        <Button kind="quiet" label="Cancel" name="Cancel the import" isDisabled={isImporting} onPress={resetImport} />
      </div>
      <FailedLines plan={plan} />
    </div>
  );
}

function FailedLines({ plan: { format, failed, failed_count } }: { plan: Snapshot<ImportPlan> }) {
  const unnamed = failed_count - failed.length;
  if (failed_count === 0) return null;
  return (
    <div className={styles.failed}>
      <ul aria-label="Lines that cannot be imported">
        {failed.map(({ line, message }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line can fail twice, and the list never changes
          <EntryRow key={at} label={lineText(format, line)}>
            <p>
              <bdi>{message}</bdi>
            </p>
          </EntryRow>
        ))}
      </ul>
      {unnamed > 0 && <p className={shared.quiet}>{moreText(unnamed)}</p>}
    </div>
  );
}
