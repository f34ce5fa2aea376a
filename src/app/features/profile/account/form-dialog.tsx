import { CircleAlert } from 'lucide-react';
import type { FormEvent, ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';
import type { Form, FormState } from '../form.ts';
import styles from './form-dialog.module.css';

interface FieldProps {
  value: string;
  problem: string | null | undefined;
  onChange: (value: string) => void;
}

interface Props<Field extends string> {
  form: Form<Field>;
  title: string;
  sentence?: string;
  /** What the button says, and what it says while it is at work. */
  action: string;
  busy: string;
  /** It takes something away: red, and an alert. */
  isFinal?: boolean;
  onClose: () => void;
  children?: (field: (name: Field) => FieldProps) => ReactNode;
}

/** A short form over the page. What is refused gets the focus, and so is read out with its sentence. */
export function FormDialog<Field extends string>({ form, title, sentence, action, busy, isFinal = false, onClose, children }: Props<Field>) {
  // In step with every key, or the caret would jump.
  const { values, problems, refusal, isBusy, refusals } = useSnapshot(form.state, { sync: true }) as FormState<Field>;
  const { isReachable } = useSnapshot(connection);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusals > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void form.submit();
  };
  const field = (name: Field): FieldProps => ({ value: values[name], problem: problems[name], onChange: (value) => form.change(name, value) });
  return (
    <Modal title={title} kind={isFinal ? 'alertdialog' : 'dialog'} onClose={onClose} {...(sentence ? { sentence } : {})}>
      <form ref={element} noValidate onSubmit={submit} className={styles.form}>
        {children?.(field)}
        {refusal && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={refusal} />}
        {!isReachable && <p className={styles.waiting}>Needs a connection</p>}
        <div className={styles.ways}>
          <Button kind="line" label="Cancel" onPress={onClose} />
          <Button kind={isFinal ? 'danger-fill' : 'primary'} submits label={isBusy ? busy : action} isDisabled={isBusy || !isReachable} />
        </div>
      </form>
    </Modal>
  );
}
