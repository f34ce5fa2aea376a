import { CircleAlert, CircleCheck } from 'lucide-react';
import styles from './notice.module.css';

interface Props {
  notice: { readonly kind: 'ok' | 'danger'; readonly sentence: string } | null;
}

const kinds = { ok: styles.ok, danger: styles.danger };

/** The outcome of the last change; screen readers announce it. */
export function Notice({ notice }: Props) {
  return (
    <div role="status" aria-live={notice?.kind === 'danger' ? 'assertive' : 'polite'}>
      {notice && (
        <p className={`${styles.notice} ${kinds[notice.kind]}`}>
          {notice.kind === 'ok' ? <CircleCheck aria-hidden="true" /> : <CircleAlert aria-hidden="true" />}
          {notice.sentence}
        </p>
      )}
    </div>
  );
}
