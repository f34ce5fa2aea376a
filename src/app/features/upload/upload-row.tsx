import {
  AppWindow,
  ArrowUp,
  CircleAlert,
  CircleCheck,
  Clock,
  FileQuestionMark,
  Lock,
  Pause,
  Play,
  RotateCw,
  Wifi,
  WifiOff,
  X,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import type { UploadRow } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Bar } from '#app/ui/bar.tsx';
import { Button, IconButton } from '#app/ui/button.tsx';
import { sizeText } from '#app/ui/texts.ts';
import { useFilePicker } from './add-panel.tsx';
import styles from './upload-row.module.css';
import { allowReading, pauseUpload, pickAgain, removeUpload, resumeUpload, retryUpload } from './upload-store.ts';
import type { RowIcon as IconName, RowAction } from './upload-words.ts';
import { actionsOf, hasBar, percentWords, sizeWords, wordsOf } from './upload-words.ts';

interface Props {
  /**
   * The row's index in the list. Each row reads only its own state, so that only changed rows are
   * drawn again.
   */
  index: number;
  /** Whether any file is being sent. */
  isMoving: boolean;
}

const tones = { plain: '', quiet: styles.quiet, warn: styles.warn, danger: styles.danger, ok: styles.ok };

/** A file with its state (language: progress row). */
export function UploadRowView({ index, isMoving }: Props) {
  const row = useSnapshot(uploads).rows[index];
  if (row === undefined) return null;
  const { icon, tone, line } = wordsOf(row);
  const isBarShown = hasBar(row);
  return (
    <li className={`${styles.row} ${tones[tone]}`}>
      <RowIcon name={icon} />
      <div className={styles.main}>
        <div className={styles.top}>
          <p className={styles.name}>
            <bdi>{row.name}</bdi>
          </p>
          <span className={styles.size}>{sizeWords(row, sizeText)}</span>
        </div>
        {isBarShown && (
          <div className={styles.bar}>
            <Bar share={row.acknowledgedBytes / row.size} kind={tone === 'warn' ? 'warn' : 'plain'} label={row.name} />
          </div>
        )}
        <div className={styles.bottom}>
          <p className={styles.line}>{line}</p>
          {isBarShown && <span className={styles.percent}>{percentWords(row)}</span>}
        </div>
      </div>
      <RowButtons row={row} isMoving={isMoving} />
    </li>
  );
}

const icons = {
  clock: Clock,
  arrow: ArrowUp,
  again: RotateCw,
  offline: WifiOff,
  wifi: Wifi,
  pause: Pause,
  file: FileQuestionMark,
  lock: Lock,
  tab: AppWindow,
  alert: CircleAlert,
  check: CircleCheck,
} satisfies Record<IconName, unknown>;

/** The icon of a file's state; the words beside it say the same. */
function RowIcon({ name }: { name: IconName }) {
  const Icon = icons[name];
  return (
    <span className={styles.icon}>
      <Icon aria-hidden="true" />
    </span>
  );
}

interface RowButtonsProps {
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

/** The buttons for the actions that a file allows now. */
function RowButtons({ row, isMoving }: RowButtonsProps) {
  return (
    <div className={styles.buttons}>
      {actionsOf(row, isMoving, currentForm() !== 'tv').map((action) => (
        <RowButton key={action} action={action} row={row} />
      ))}
    </div>
  );
}

function RowButton({ action, row: { id, name } }: { action: RowAction } & Pick<RowButtonsProps, 'row'>) {
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
