import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Banner } from '../banner.tsx';
import { Button } from '../button.tsx';
import { Modal } from '../overlay/modal.tsx';
import type { Form } from './form.ts';
import styles from './form-dialog.module.css';
import type { FieldProps } from './use-form.ts';
import { useForm } from './use-form.ts';

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
