import { CircleAlert, CircleCheck, Clock } from 'lucide-react';
import styles from './notice.module.css';

/** `waits`: it was not sent yet. */
export interface Outcome {
  readonly kind: 'ok' | 'waits' | 'danger';
  readonly sentence: string;
}

interface Props {
  notice: Outcome | null;
}

const kinds = { ok: styles.ok, waits: '', danger: styles.danger };
const icons = { ok: CircleCheck, waits: Clock, danger: CircleAlert };

/** The outcome of the last change; screen readers announce it. */
export function Notice({ notice }: Props) {
  const Icon = notice && icons[notice.kind];
  return (
    <div role="status" aria-live={notice?.kind === 'danger' ? 'assertive' : 'polite'}>
      {notice && Icon && (
        <p className={`${styles.notice} ${kinds[notice.kind]}`}>
          <Icon aria-hidden="true" />
          {notice.sentence}
        </p>
      )}
    </div>
  );
}
