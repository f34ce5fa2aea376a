import { CircleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { holdFocus, lockScroll } from '#app/platform/input/focus-scopes.ts';
import { Banner } from './banner.tsx';
import { Button, IconButton } from './button.tsx';
import styles from './dialogs.module.css';
import type { FieldProps, Form } from './form/form.ts';
import { useForm } from './form/form.ts';
import { Modal, useBackLayer } from './modal.tsx';

interface Props<Field extends string> {
  form: Form<Field>;
  title: string;
  sentence?: string;
  /** Labels of the button at rest and while busy. */
  action: string;
  busy: string;
  /** The action removes something: an alert dialog with a red button. */
  isFinal?: boolean;
  /** A question without fields, which does not fill a phone's screen. */
  isAlert?: boolean;
  /** Nothing can be sent: the button is disabled, with the reason above it. */
  isOffline: boolean;
  onClose: () => void;
  children?: (field: (name: Field) => FieldProps) => ReactNode;
}

/** A short form over the page. */
export function FormDialog<Field extends string>(props: Props<Field>) {
  const {
    form,
    title,
    sentence,
    action,
    busy,
    isFinal = false,
    isAlert = isFinal,
    isOffline,
    onClose,
    children,
  } = props;
  const { state, field, formProps } = useForm(form);
  return (
    <Modal
      title={title}
      kind={isAlert ? 'alertdialog' : 'dialog'}
      onClose={onClose}
      {...(sentence ? { sentence } : {})}
    >
      <form {...formProps} className={styles.form}>
        {children?.(field)}
        {state.refusal && (
          <Banner
            kind="danger"
            icon={<CircleAlert aria-hidden="true" />}
            sentence={state.refusal}
            onDismiss={() => form.dismissRefusal()}
          />
        )}
        {isOffline && <p className={styles.waiting}>Needs a connection</p>}
        <div className={styles.buttons}>
          <Button kind="line" label="Cancel" onPress={onClose} />
          <Button
            kind={isFinal ? 'danger-fill' : 'primary'}
            submits
            label={state.isBusy ? busy : action}
            isDisabled={state.isBusy || isOffline}
          />
        </div>
      </form>
    </Modal>
  );
}

interface ConfirmDialogProps {
  title: string;
  /** From `contract/confirmations.ts`. */
  sentence: string;
  /** Label of the button that goes on; `busy` while it is at work. */
  action: string;
  busy?: string;
  isBusy?: boolean;
  /** What is done cannot be taken back: the button is red. */
  isFinal?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/**
 * Asks before something is done. The focus starts on Cancel, so that a second press of the same key confirms nothing.
 */
export function ConfirmDialog({
  title,
  sentence,
  action,
  busy = action,
  isBusy = false,
  isFinal = true,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  useBackLayer(onClose);
  return (
    <Modal kind="alertdialog" title={title} sentence={sentence} onClose={onClose}>
      <div className={styles.confirmDialogButtons}>
        <Button kind="line" label="Cancel" isFirst onPress={onClose} />
        <Button
          kind={isFinal ? 'danger-fill' : 'primary'}
          label={isBusy ? busy : action}
          isDisabled={isBusy}
          onPress={onConfirm}
        />
      </div>
    </Modal>
  );
}

interface SheetProps {
  /** What it is, for screen readers. */
  label: string;
  /** By the X, a press outside, Escape and Back. */
  onClose: () => void;
  children: ReactNode;
  /** Stays in sight below what scrolls. */
  foot?: ReactNode;
}

/** From below over a page that is too narrow for a panel beside its list. */
export function Sheet({ label, onClose, children, foot }: SheetProps) {
  const sheet = useRef<HTMLDivElement>(null);
  useBackLayer(onClose);
  useEffect(() => (sheet.current ? holdFocus(sheet.current) : undefined), []);
  useEffect(lockScroll, []);
  return (
    <>
      <div className={styles.outside} onClick={onClose} aria-hidden="true" />
      <div ref={sheet} className={styles.sheet} role="dialog" aria-modal="true" aria-label={label}>
        <div className={styles.body}>{children}</div>
        {foot && <div className={styles.foot}>{foot}</div>}
        {/* Last in order, so that the focus starts on something useful. */}
        <IconButton label="Close" icon={<X aria-hidden="true" />} onPress={onClose} className={styles.close} />
      </div>
    </>
  );
}
