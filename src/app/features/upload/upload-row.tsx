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
import type { UploadRow, UploadStatus, UploadWait } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Bar } from '#app/ui/bar.tsx';
import { Button, IconButton } from '#app/ui/button.tsx';
import { sizeText } from '#app/ui/texts.ts';
import { useFilePicker } from './add-panel.tsx';
import styles from './upload-row.module.css';
import { allowReading, pauseUpload, pickAgain, removeUpload, resumeUpload, retryUpload } from './upload-store.ts';
import { leftText, percentOf, speedText } from './upload-summary.ts';

interface Props {
  /** Index in the list. A row reads only its own state: changed rows alone are drawn again. */
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
          <bdi className={styles.name}>{row.name}</bdi>
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

type IconName =
  | 'clock'
  | 'arrow'
  | 'again'
  | 'offline'
  | 'wifi'
  | 'pause'
  | 'file'
  | 'lock'
  | 'tab'
  | 'alert'
  | 'check';

interface RowWords {
  icon: IconName;
  tone: 'plain' | 'quiet' | 'warn' | 'danger' | 'ok';
  line: string;
}

type Facts = Pick<
  UploadRow,
  'acknowledgedBytes' | 'size' | 'speed' | 'secondsLeft' | 'status' | 'resumesByItself' | 'note'
>;

const waits: Record<UploadWait, RowWords> = {
  start: { icon: 'clock', tone: 'quiet', line: 'Waiting' },
  turn: { icon: 'clock', tone: 'quiet', line: 'Waiting' },
  network: { icon: 'offline', tone: 'warn', line: 'Waiting for network. Resumes by itself' },
  wifi: { icon: 'wifi', tone: 'warn', line: 'Waiting for Wi-Fi. Resumes by itself' },
  retry: { icon: 'again', tone: 'warn', line: 'Waiting for another attempt. Resumes by itself' },
  paused: { icon: 'pause', tone: 'quiet', line: 'Paused' },
  'pick-again': { icon: 'file', tone: 'warn', line: 'Choose the file again to go on' },
  permission: { icon: 'lock', tone: 'warn', line: 'Allow reading the file again to go on' },
  'other-tab': { icon: 'tab', tone: 'quiet', line: 'Sending in another tab' },
  'sign-in': { icon: 'lock', tone: 'warn', line: 'Waiting for you to sign in again' },
};

/** Icon, tone and sentence of a file's row (§2 Upload Videos). */
export function wordsOf(row: Readonly<Facts>): RowWords {
  const { status } = row;
  if (status.kind === 'waiting') return waits[status.reason];
  if (status.kind === 'uploading') return uploadingWords(row, status);
  if (status.kind === 'sent') return { icon: 'check', tone: 'quiet', line: 'Uploaded' };
  if (status.kind === 'processing') return { icon: 'again', tone: 'plain', line: 'Processing...' };
  if (status.kind === 'failed') return { icon: 'alert', tone: 'danger', line: `Error: ${status.message}` };
  const line = status.note === null ? 'Completed' : `Completed. ${status.note}`;
  return { icon: 'check', tone: 'ok', line };
}

function uploadingWords(row: Readonly<Facts>, { resumedAt }: UploadStatus & { kind: 'uploading' }): RowWords {
  if (resumedAt !== null) return { icon: 'again', tone: 'plain', line: `Resuming from ${Math.floor(resumedAt)}%` };
  const rest = row.note ?? (row.resumesByItself ? 'Resumes by itself' : null);
  const pace = paceWords(row);
  return { icon: 'arrow', tone: 'plain', line: rest === null ? pace : `${pace}. ${rest}` };
}

/** Speed and time left; only 'Uploading' before the first bytes are confirmed. */
function paceWords({ acknowledgedBytes, speed, secondsLeft }: Readonly<Facts>): string {
  if (speed === null || (speed < 1 && acknowledgedBytes === 0)) return 'Uploading';
  return secondsLeft === null ? speedText(speed) : `${speedText(speed)}, ${leftText(secondsLeft)}`;
}

/**
 * Whether the bar is shown: while the file is sent, and while it waits after bytes were confirmed.
 */
export function hasBar({ status, acknowledgedBytes }: Readonly<Facts>): boolean {
  return status.kind === 'uploading' || (status.kind === 'waiting' && acknowledgedBytes > 0);
}

/** 'X of Y' while the bar is shown, else the file's size. */
export function sizeWords(row: Readonly<Facts>, sizeText: (bytes: number) => string): string {
  return hasBar(row) ? `${sizeText(row.acknowledgedBytes)} of ${sizeText(row.size)}` : sizeText(row.size);
}

function percentWords(row: Readonly<Facts>): string {
  return `${percentOf(row.acknowledgedBytes, row.size)}%`;
}

type RowAction = 'pause' | 'resume' | 'retry' | 'pick-again' | 'allow' | 'remove';

type Row = Readonly<Pick<UploadRow, 'status'>>;

const pausable: readonly string[] = ['turn', 'network', 'wifi', 'retry'];
/** Waits of an interrupted file, which counts as moving while others move. */
const interrupted: readonly string[] = ['network', 'wifi', 'retry', 'other-tab'];

/**
 * The actions that a file allows. It can be removed while it is pending or failed, or when no file
 * is being sent (§4 Upload).
 * @param isMoving whether any file of the list is being sent
 * @param hasPicker false on a TV, where no file can be chosen
 */
export function actionsOf({ status }: Row, isMoving: boolean, hasPicker = true): RowAction[] {
  if (status.kind === 'uploading') return ['pause'];
  if (status.kind === 'failed') return ['retry', 'remove'];
  if (status.kind !== 'waiting') return isMoving ? [] : ['remove'];
  const { reason } = status;
  const canBeRemoved = !(isMoving && interrupted.includes(reason));
  return [
    ...waitActions(reason).filter((action) => hasPicker || action !== 'pick-again'),
    ...(canBeRemoved ? (['remove'] as const) : []),
  ];
}

function waitActions(reason: string): RowAction[] {
  if (reason === 'paused') return ['resume'];
  if (reason === 'pick-again') return ['pick-again'];
  if (reason === 'permission') return ['allow'];
  return pausable.includes(reason) ? ['pause'] : [];
}
