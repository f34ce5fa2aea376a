import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import type { Form } from '#app/ui/form/form.ts';
import type { FieldProps } from '#app/ui/form/use-form.ts';
import { useForm } from '#app/ui/form/use-form.ts';
import styles from './person-form.module.css';
import { PersonNotice } from './person-notice.tsx';
import type { PersonCard } from './person-store.ts';

interface Props<Field extends string> {
  form: Form<Field>;
  card: PersonCard;
  title: string;
  /** Labels of the button at rest and while busy. */
  action: string;
  busy: string;
  children: (field: (name: Field) => FieldProps) => ReactNode;
}

/** A card with a form for one person, and what became of the last change. */
export function PersonForm<Field extends string>({ form, card, title, action, busy, children }: Props<Field>) {
  const { state, field, formProps } = useForm(form);
  const { isReachable } = useSnapshot(connection);
  return (
    <Card title={title}>
      <form {...formProps} className={styles.form}>
        {children(field)}
        {state.refusal && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={state.refusal} />}
        {!isReachable && <p className={styles.waiting}>Needs a connection</p>}
        {/* Not disabled while busy, so that it keeps the focus: the form ignores a second submission. */}
        <Button kind="tonal" submits label={state.isBusy ? busy : action} isDisabled={!isReachable} />
      </form>
      <PersonNotice card={card} />
    </Card>
  );
}
