import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { proxy } from 'valtio/vanilla';
import { Button, IconButton } from './button.tsx';
import { Logo, LogoOutline } from './glyphs.tsx';
import styles from './messages.module.css';

/** Why something failed whose dialog was closed meanwhile. `person` changes with who is signed in. */
export const lateFailure = proxy({ sentence: null as string | null, person: Symbol() });

interface Props {
  icon: ReactNode;
  sentence: string;
  action?: { label: string; onPress: () => void };
  onDismiss?: () => void;
}

interface BannerProps extends Props {
  /** The kind of message; the colour repeats what icon and text say. */
  kind?: keyof typeof kinds;
}

const kinds = { warn: styles.warn, danger: styles.danger, ok: styles.ok, info: styles.info };

/**
 * One sentence across the page, under its title. Screen readers announce a failure at once
 * (`alert`), other messages politely (`status`).
 */
export function Banner({ kind = 'warn', ...message }: BannerProps) {
  return (
    <div className={`${styles.banner} ${kinds[kind]}`} role={kind === 'danger' ? 'alert' : 'status'}>
      <Content {...message} />
    </div>
  );
}

interface ToastProps extends Props {
  /** Accessible name of the X. */
  dismissLabel?: string;
}

/**
 * One sentence with an optional action and X, at the bottom of the window. The caller decides how
 * long it is shown.
 */
export function Toast(message: ToastProps) {
  return (
    <div className={styles.toast} role="status">
      <Content {...message} />
    </div>
  );
}

function Content({ icon, sentence, action, onDismiss, dismissLabel = 'Dismiss' }: ToastProps) {
  return (
    <>
      {icon}
      <span className={styles.sentence}>{sentence}</span>
      {action && <Button kind="quiet" label={action.label} onPress={action.onPress} />}
      {onDismiss && <IconButton label={dismissLabel} icon={<X aria-hidden="true" />} onPress={onDismiss} />}
    </>
  );
}

/**
 * Shown when the file of a view could not be loaded: offline and not cached, or removed with an
 * older version.
 */
export function NotLoaded({ title, notice }: Pick<EmptyViewProps, 'title' | 'notice'>) {
  return (
    <EmptyView
      title={title}
      notice={notice}
      sentence="This view could not be loaded."
      action={{ label: 'Reload', onPress: () => location.reload() }}
    />
  );
}

interface EmptyViewProps {
  title: string;
  /** Notices about the whole app, under the title. */
  notice?: ReactNode;
  heading?: string;
  sentence: string;
  /** The only action of the view; it gets the focus. */
  action?: { label: string; onPress: () => void };
}

/** A view with one sentence and at most one action. */
export function EmptyView({ title, notice, heading, sentence, action }: EmptyViewProps) {
  return (
    <main className={styles.page}>
      <h1>{title}</h1>
      {notice}
      <div className={styles.empty}>
        <LogoOutline className={styles.art} />
        {heading !== undefined && <h2>{heading}</h2>}
        <p>{sentence}</p>
        {action && <Button ref={focusButton} kind="line" {...action} />}
      </div>
    </main>
  );
}

export interface FailureProps {
  heading: string;
  sentence: string;
  onReload: () => void;
}

/** The page after something failed that nothing else on the screen survived. */
export function FailurePage({ heading, sentence, onReload }: FailureProps) {
  return (
    <main className={styles.failure}>
      <Logo className={styles.logo} />
      <div role="alert">
        <h1>{heading}</h1>
        <p>{sentence}</p>
      </div>
      <Button ref={focusButton} label="Reload" onPress={onReload} />
    </main>
  );
}

/** Focuses the button at once, for keys and remotes. */
function focusButton(button: HTMLButtonElement | null): void {
  button?.focus();
}
