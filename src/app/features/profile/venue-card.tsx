import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { wakeLocks } from '#app/platform/later-capabilities.ts';
import { venue } from '#app/state/settings.ts';
import {
  changeSetup,
  endVenue,
  isPin,
  lockVenue,
  startVenue,
  toVenueName,
  venueSetup,
} from '#app/state/venue-setup.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card.tsx';
import { FormDialog } from '#app/ui/dialogs.tsx';
import { createForm } from '#app/ui/form/form.ts';
import { Select } from '#app/ui/form/select.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { limits } from '#contract/limits.ts';
import styles from './venue-card.module.css';

/** Venue mode of this device: four videos that start by themselves and are locked. */
export function VenueCard() {
  const { isOn } = useSnapshot(venue);
  const { name } = useSnapshot(venueSetup);
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    fillForm();
    setOpen(true);
  };
  return (
    <Card title="Venue mode">
      <p className={styles.words}>
        {isOn
          ? `This screen is ${name}. It is locked again on the feed.`
          : 'For a screen in a bar or a shop: the four videos start by themselves, muted, and nobody else can change them. Filters and pins stay as they are now.'}
      </p>
      {wakeLocks() === undefined && (
        <p className={styles.hint}>
          Nothing here can keep the screen on but the moving videos: switch off its sleep timer.
        </p>
      )}
      <div className={styles.buttons}>
        <Button kind="line" label={isOn ? 'Change' : 'Set up'} onPress={open} />
        {isOn && <Button kind="danger" label="End venue mode" onPress={endVenue} />}
        {isOn && <Button label="Back to the videos" onPress={lockVenue} />}
      </div>
      {isOpen && <SetupDialog isOn={isOn} onClose={() => setOpen(false)} />}
    </Card>
  );
}

const always = '';
const minutesOfDay = 24 * 60;
const stepMinutes = 30;

const times = Array.from({ length: minutesOfDay / stepMinutes }, (_, at) => at * stepMinutes).map((minutes) => ({
  value: String(minutes),
  label: `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`,
}));

const openings = [{ value: always, label: 'Day and night' }, ...times];

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

const venueForm = createForm({
  empty: { name: '', opens: always, closes: '0', pin: '' },
  check: ({ pin }) => ({ pin: pin === '' || isPin(pin) ? null : 'The PIN has 4 to 8 digits' }),
  send: async ({ name, opens, closes, pin }) => {
    const hours = opens === always ? null : { opens: Number(opens), closes: Number(closes) };
    changeSetup({ name: toVenueName(name), hours, pin: pin === '' ? null : pin });
    if (venue.isOn) lockVenue();
    else startVenue();
  },
});

function fillForm(): void {
  const { name, hours, pin } = venueSetup;
  venueForm.reset({
    name,
    opens: hours === null ? always : String(hours.opens),
    closes: String(hours?.closes ?? 0),
    pin: pin ?? '',
  });
}

function SetupDialog({ isOn, onClose }: { isOn: boolean; onClose: () => void }) {
  useBackLayer(onClose);
  return (
    <FormDialog
      form={venueForm}
      title="Venue mode"
      sentence="To end it, hold OK or a finger for 3 s, and enter the PIN."
      action={isOn ? 'Save' : 'Start venue mode'}
      busy="Starting..."
      isOffline={false}
      onClose={onClose}
    >
      {(field) => (
        <>
          <TextField
            label="Name of the place"
            hint="Administrators see it in Performance."
            autoComplete="off"
            maxLength={limits.venueNameCharacters}
            {...field('name')}
          />
          <Select label="Opens" options={openings} {...field('opens')} />
          {field('opens').value !== always && <Select label="Closes" options={times} {...field('closes')} />}
          <TextField
            label="PIN"
            isOptional
            hint="4 to 8 digits. Without one, anybody can end it."
            inputMode="numeric"
            autoComplete="off"
            maxLength={8}
            {...field('pin')}
          />
        </>
      )}
    </FormDialog>
  );
}
