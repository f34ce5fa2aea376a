import { CircleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { holdFocus, lockScroll } from '#app/platform/input/focus-scopes.ts';
import { Button, IconButton } from './button.tsx';
import styles from './dialogs.module.css';
import type { FieldProps, Form } from './form/form.ts';
import { useForm } from './form/form.ts';
import { Banner } from './messages.tsx';
import { Modal } from './modal.tsx';
import { useBackLayer } from './store-hooks.ts';

interface Props<Field extends string> {
  form: Form<Field>;
  title: string;
  sentence?: string;
  /** Labels of the submit button while idle and while busy. */
  action: string;
  busy: string;
  /** The action deletes something: the dialog becomes an alert dialog with a red button. */
  isFinal?: boolean;
  /** The form has no fields; the dialog does not fill a phone's screen. */
  isAlert?: boolean;
  /** The server is unreachable: the button is disabled, with the reason above it. */
  isOffline: boolean;
  onClose: () => void;
  children?: (field: (name: Field) => FieldProps) => ReactNode;
}

/** A short form in a dialog. */
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
  /** A sentence from `contract/confirmations.ts`. */
  sentence: string;
  /** Label of the confirming button; `busy` is its label while the action runs. */
  action: string;
  busy?: string;
  isBusy?: boolean;
  /** The action cannot be undone: the button is red. */
  isFinal?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/**
 * Asks for confirmation. The focus starts on Cancel, so that a repeated key press confirms nothing.
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
  /** Name of the sheet, for screen readers. */
  label: string;
  /** Called by the X, a press outside, Escape and Back. */
  onClose: () => void;
  children: ReactNode;
  /** Stays visible below the scrolling content. */
  foot?: ReactNode;
}

/** A panel from the bottom, on screens too narrow for a panel next to the list. */
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
        {/* The button is last in order, so that the focus starts on something useful. */}
        <IconButton label="Close" icon={<X aria-hidden="true" />} onPress={onClose} className={styles.close} />
      </div>
    </>
  );
}
