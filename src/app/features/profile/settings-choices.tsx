import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { session } from '#app/state/session.ts';
import type { ScreenLayout } from '#app/state/settings.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Button } from '#app/ui/button.tsx';
import { Notice } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { confirmations } from '#contract/confirmations.ts';
import { notices } from '#contract/notices.ts';
import styles from './settings-card.module.css';
import { askToForget, chooseShuffle, forgetWatched, watchedForm } from './settings-store.ts';

/** The choices of Settings that take effect at once. */
export function SettingsChoices() {
  return (
    <>
      <ShuffleChoice />
      <LayoutChoice />
      <FitChoice />
      <QualityChoice />
    </>
  );
}

const layouts: ReadonlyArray<{ value: ScreenLayout; label: string }> = [
  { value: 'automatic', label: 'Automatic' },
  { value: 'phone', label: 'Phone' },
  { value: 'tablet', label: 'Tablet' },
  { value: 'desktop', label: 'Desktop' },
  { value: 'tv', label: 'TV' },
];

/** The choice of the app's layout on this device. */
function LayoutChoice() {
  const { screenLayout } = useSnapshot(settings);
  return (
    <Choice
      label="Screen layout"
      options={layouts}
      chosen={screenLayout}
      onChoose={(layout) => changeSettings({ screenLayout: layout })}
    />
  );
}

const fits = [
  { value: 'fill', label: 'Fill' },
  { value: 'whole', label: 'Whole picture' },
] as const;

/** How pictures of another shape fit into quadrants on this device. */
function FitChoice() {
  const { pictureFit } = useSnapshot(settings);
  return (
    <Choice
      label="Picture fit"
      options={fits}
      chosen={pictureFit}
      onChoose={(fit) => changeSettings({ pictureFit: fit })}
    />
  );
}

const qualities = [
  { value: 'automatic', label: 'Automatic' },
  { value: 'light', label: 'Save data' },
  { value: 'best', label: 'Best' },
] as const;

/** Chooses the encodings of videos that this device plays. */
function QualityChoice() {
  const { quality } = useSnapshot(settings);
  return (
    <Choice
      label="Quality"
      options={qualities}
      chosen={quality}
      onChoose={(choice) => changeSettings({ quality: choice })}
    />
  );
}

export const shuffleChoices = [
  { value: 'once', label: 'Every video once, then again' },
  { value: 'random', label: 'Purely random' },
] as const;

/**
 * How videos are drawn, and what is remembered for it; nothing where the site remembers nothing.
 */
function ShuffleChoice() {
  const { shuffle } = useSnapshot(settings);
  const { user } = useSnapshot(session);
  const { remembersWatched } = useSnapshot(siteConfig);
  const { isReachable } = useSnapshot(connection);
  const { isAsking, isForgetting, notice } = useSnapshot(watchedForm);
  if (!remembersWatched) return null;
  return (
    <>
      <Choice
        label="Shuffle"
        options={shuffleChoices}
        chosen={shuffle}
        onChoose={(choice) => void chooseShuffle(choice)}
      />
      <p className={styles.hint}>
        {user ? 'Counts on all devices that you are signed in on.' : 'Counts on this device.'}{' '}
        {notices.watchedIsPrivate}
      </p>
      <div className={styles.forget}>
        <Button
          kind="line"
          label="Forget what I have watched"
          isDisabled={!isReachable || isForgetting}
          onPress={() => askToForget(true)}
        />
        {!isReachable && <span className={styles.unsaved}>Needs a connection</span>}
      </div>
      <Notice notice={notice} />
      {isAsking && (
        <ConfirmDialog
          title="Forget what I have watched"
          sentence={confirmations.forgetWatched}
          action="Forget"
          busy="Forgetting..."
          isBusy={isForgetting}
          onConfirm={() => void forgetWatched()}
          onClose={() => askToForget(false)}
        />
      )}
    </>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  options: ReadonlyArray<{ readonly value: Value; readonly label: string }>;
  chosen: Value;
  onChoose: (value: Value) => void;
}

/** A choice that is applied at once. */
function Choice<Value extends string>({ label: legend, options, chosen, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.label}>{legend}</legend>
      <div className={styles.options}>
        {options.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            className={styles.option}
            aria-pressed={value === chosen}
            onClick={() => onChoose(value)}
          >
            {label}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
