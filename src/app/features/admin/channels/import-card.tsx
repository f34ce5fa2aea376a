import type { ChangeEvent } from 'react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { matches } from '#app/platform/capabilities.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import shared from '../section.module.css';
import { DropArea } from './drop-area.tsx';
import { FileForms } from './file-forms.tsx';
import styles from './import-card.module.css';
import { importTypes } from './import-file.ts';
import { ImportPlanPanel } from './import-plan-panel.tsx';
import { checkImport, resetImport, tagImport } from './import-store.ts';

/** Channels from a file. What it would change is shown before anything is. */
export function ImportCard() {
  const { checking, plan, isImporting, notice } = useSnapshot(tagImport);
  const { isReachable } = useSnapshot(connection);
  const isReady = isReachable && checking === null && !isImporting;
  useEffect(() => resetImport, []);
  return (
    <DropArea isReady={isReady} onDrop={(file) => void checkImport(file)}>
      <Card title="Import">
        <FileForms />
        <div className={shared.buttons}>
          <FileButton label={checking === null ? 'Choose a File' : 'Checking...'} isReady={isReady} />
          {canDrop() && <p className={styles.hint}>or drop one here</p>}
        </div>
        <Notice notice={notice} />
        <div role="status">{plan && <ImportPlanPanel plan={plan} />}</div>
      </Card>
    </DropArea>
  );
}

/** A mouse can drop a file; a TV has none to drop. */
function canDrop(): boolean {
  return currentForm() !== 'tv' && matches('(hover: hover)');
}

function FileButton({ label, isReady }: { label: string; isReady: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    if (file) void checkImport(file);
    // The same file, mended, is another choice.
    currentTarget.value = '';
  };
  return (
    <>
      <input ref={input} type="file" accept={importTypes} aria-label="File of channels" hidden onChange={choose} />
      <Button kind="tonal" label={label} isDisabled={!isReady} onPress={() => input.current?.click()} />
    </>
  );
}
