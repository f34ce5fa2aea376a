import { useSnapshot } from 'valtio';
import type { Form } from '#app/ui/form/form.ts';
import { FormDialog } from '#app/ui/form/form-dialog.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import { ColorField } from './color-field.tsx';
import { closeTagDialog } from './tag-dialogs.ts';

interface Props {
  form: Form<'name' | 'description' | 'color'>;
  title: string;
  action: string;
  busy: string;
  /** The color is chosen by the picker alone (§2 Tag Management). */
  isColorTextReadOnly?: boolean;
}

/** What a tag is called, what it is about, and its color. */
export function TagFormDialog({ form, title, action, busy, isColorTextReadOnly = false }: Props) {
  const { values } = useSnapshot(form.state);
  const close = () => {
    form.reset();
    closeTagDialog();
  };
  useBackLayer(close);
  return (
    <FormDialog form={form} title={title} action={action} busy={busy} isOffline={false} onClose={close}>
      {(field) => (
        <>
          <TextField label="Name" autoComplete="off" {...field('name')} />
          <TextField label="Description" isOptional autoComplete="off" {...field('description')} />
          <ColorField name={values.name.trim()} isTextReadOnly={isColorTextReadOnly} {...field('color')} />
        </>
      )}
    </FormDialog>
  );
}
