import { CircleAlert, CircleCheck, Clock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { currentForm } from '#app/platform/input/screen-form.ts';
import styles from './card.module.css';

interface Props {
  title: string;
  /** Shown before the title. */
  mark?: ReactNode;
  /** Shown at the end of the title line. */
  end?: ReactNode;
  children: ReactNode;
  /** A button for the whole card. */
  foot?: ReactNode;
  /** The card has no controls: on a TV it is focusable itself, or arrow keys would skip it. */
  isReadOnly?: boolean;
}

/** A section of a view with its heading. */
export function Card({ title, mark, end, children, foot, isReadOnly = false }: Props) {
  const id = useId();
  const isReached = isReadOnly && currentForm() === 'tv';
  return (
    <section className={styles.card} aria-labelledby={id} tabIndex={isReached ? 0 : undefined}>
      <div className={styles.head}>
        {mark && <div className={styles.mark}>{mark}</div>}
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {end}
      </div>
      {children}
      {foot && <div className={styles.foot}>{foot}</div>}
    </section>
  );
}

interface RowProps {
  label: string;
  value?: string | null | undefined;
  /** Buttons of the row. */
  children?: ReactNode;
}

/** A row of a card: a label with its value. */
export function Row({ label, value, children }: RowProps) {
  return (
    <li className={styles.row}>
      <div className={styles.words}>
        <p className={styles.label}>
          <bdi>{label}</bdi>
        </p>
        {value && (
          <p className={styles.value}>
            <bdi>{value}</bdi>
          </p>
        )}
      </div>
      {children}
    </li>
  );
}

/** A text that a narrow line also breaks behind its slashes, as it does between words. */
export function SlashedText({ text }: { text: string }) {
  const [first, ...others] = text.split('/');
  return others.reduce<ReactNode>(
    (before, part) => (
      <>
        {before}/<wbr />
        {part}
      </>
    ),
    first,
  );
}

/** `waits`: the change was not sent yet. */
export interface Outcome {
  readonly kind: 'ok' | 'waits' | 'danger';
  readonly sentence: string;
}

interface NoticeProps {
  notice: Outcome | null;
}

const kinds = { ok: styles.ok, waits: '', danger: styles.danger };
const icons = { ok: CircleCheck, waits: Clock, danger: CircleAlert };

/** The outcome of the last change; screen readers announce it. */
export function Notice({ notice }: NoticeProps) {
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
