import {
  AppWindow,
  ArrowUp,
  CircleAlert,
  CircleCheck,
  Clock,
  FileQuestionMark,
  Lock,
  Pause,
  RotateCw,
  Wifi,
  WifiOff,
} from 'lucide-react';
import styles from './upload-row.module.css';
import type { RowIcon as IconName } from './upload-words.ts';

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

/** The state of a file at a glance; the words beside it say the same. */
export function RowIcon({ name }: { name: IconName }) {
  const Icon = icons[name];
  return (
    <span className={styles.icon}>
      <Icon aria-hidden="true" />
    </span>
  );
}
