import { Select } from '#app/ui/form/select.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import { tierBadges, tiers } from '#contract/rules/tiers.ts';
import { PersonForm } from './person-form.tsx';
import { planForm } from './person-forms.ts';

const plans = tiers.map((tier): { value: string; label: string } => ({ value: tier, label: tierBadges[tier] }));

/** A remote has no keys for a date, so usual lengths are among the choices. */
const ends = [
  { value: 'never', label: 'No end' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '365', label: 'In 365 days' },
  { value: 'day', label: 'On a day' },
];

export function PlanCard() {
  return (
    <PersonForm form={planForm} card="plan" title="Plan" action="Change Plan" busy="Saving...">
      {(field) => (
        <>
          <Select label="Plan" isLabelHidden options={plans} {...field('tier')} />
          {field('tier').value !== 'basic' && <Select label="Ends" options={ends} {...field('end')} />}
          {field('tier').value !== 'basic' && field('end').value === 'day' && (
            <TextField label="Last day" type="date" {...field('expires_at')} />
          )}
        </>
      )}
    </PersonForm>
  );
}
