import { Pause, Play, RotateCw, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { currentForm } from '#app/platform/input/screen-form.ts';
import type { UploadRow } from '#app/state/uploads/uploads-state.ts';
import { Button } from '#app/ui/button.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { useFilePicker } from '../add/file-picker.tsx';
import { allowReading, pauseUpload, pickAgain, removeUpload, resumeUpload, retryUpload } from '../upload-store.ts';
import type { RowAction } from './row-actions.ts';
import { actionsOf } from './row-actions.ts';
import styles from './upload-row.module.css';

interface Props {
  row: Readonly<Pick<UploadRow, 'id' | 'name' | 'status'>>;
  isMoving: boolean;
}

interface IconAction {
  label: string;
  icon: ReactNode;
  run: (id: string) => Promise<unknown>;
  className?: string | undefined;
}

const iconActions: Partial<Record<RowAction, IconAction>> = {
  pause: { label: 'Pause', icon: <Pause aria-hidden="true" />, run: pauseUpload },
  resume: { label: 'Resume', icon: <Play aria-hidden="true" />, run: resumeUpload },
  retry: { label: 'Retry', icon: <RotateCw aria-hidden="true" />, run: retryUpload },
  remove: { label: 'Remove', icon: <X aria-hidden="true" />, run: removeUpload, className: styles.remove },
};

/** What can be done with one file now. */
export function RowButtons({ row, isMoving }: Props) {
  return (
    <div className={styles.buttons}>
      {actionsOf(row, isMoving, currentForm() !== 'tv').map((action) => (
        <RowButton key={action} action={action} row={row} />
      ))}
    </div>
  );
}

function RowButton({ action, row: { id, name } }: { action: RowAction } & Pick<Props, 'row'>) {
  const iconAction = iconActions[action];
  if (action === 'pick-again') return <PickAgain id={id} name={name} />;
  if (!iconAction)
    return <Button kind="line" label="Allow" name={`Allow reading ${name}`} onPress={() => void allowReading(id)} />;
  const { label, icon, run, className } = iconAction;
  return <IconButton label={`${label} ${name}`} icon={icon} className={className} onPress={() => void run(id)} />;
}

function PickAgain({ id, name }: { id: string; name: string }) {
  const picker = useFilePicker(([file]) => file && void pickAgain(id, file));
  return (
    <>
      <Button kind="line" label="Choose" name={`Choose ${name} again`} onPress={picker.open} />
      {picker.input}
    </>
  );
}
