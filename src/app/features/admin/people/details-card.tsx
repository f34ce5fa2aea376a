import { TextField } from '#app/ui/form/text-field.tsx';
import { PersonForm } from './person-form.tsx';
import { detailsForm } from './person-forms.ts';

export function DetailsCard() {
  return (
    <PersonForm form={detailsForm} card="details" title="Name and Email" action="Save" busy="Saving...">
      {(field) => (
        <>
          <TextField label="Display name" isOptional autoComplete="off" {...field('display_name')} />
          <TextField
            label="Email"
            type="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            {...field('email')}
          />
        </>
      )}
    </PersonForm>
  );
}
