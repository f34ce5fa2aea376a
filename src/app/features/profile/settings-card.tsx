import { Minus, Plus } from 'lucide-react';
import type { CSSProperties } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { openDialog } from '#app/state/navigation.ts';
import { onOutboxSent } from '#app/state/outbox/outbox-state.ts';
import { session } from '#app/state/session.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import { Button, IconButton } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { Range } from '#app/ui/form/range.tsx';
import { FewAtOnce } from '#app/ui/media/few-at-once.tsx';
import { limits } from '#contract/limits.ts';
import { durationText } from '#contract/rules/text.ts';
import styles from './settings-card.module.css';
import { SettingsChoices } from './settings-choices.tsx';
import {
  chooseStep,
  forgetWaiting,
  isUnsaved,
  mayChooseStep,
  moveStep,
  saveSettings,
  settingsForm,
  shownStep,
  switchShortcuts,
} from './settings-store.ts';

/** The skip duration is saved by its button; the settings below it take effect at once. */
export function SettingsCard() {
  useEffect(() => onOutboxSent(forgetWaiting), []);
  return (
    <Card title="Settings">
      <Step />
      <Switches />
      <p className={styles.hint}>
        Playback is measured: stalls, dropped frames, buffer and speed. Only sums are stored, for{' '}
        {limits.performanceHours} hours and without names: they do not tell who watched what.
      </p>
      <SettingsChoices />
      <FewAtOnce className={styles.few} />
    </Card>
  );
}

function Step() {
  const form = useSnapshot(settingsForm);
  const viewer = useSnapshot(session);
  const kept = useSnapshot(settings);
  const isOwn = mayChooseStep(viewer);
  return (
    <>
      <SkipDuration
        seconds={shownStep(form, viewer, kept)}
        isDisabled={!isOwn}
        onChoose={chooseStep}
        onStep={moveStep}
      />
      {!isOwn && <p className={styles.hint}>Your plan seeks in steps of {durationText(limits.skipDurationSeconds)}.</p>}
      <div className={styles.save}>
        <Button
          label={form.isSaving ? 'Saving...' : 'Save Settings'}
          isDisabled={form.isSaving || !isOwn}
          onPress={() => void saveSettings()}
        />
        {isUnsaved(form, viewer, kept) && <span className={styles.unsaved}>Not saved yet</span>}
      </div>
      <Notice notice={form.notice} />
    </>
  );
}

function Switches() {
  const { areStatisticsShown, areShortcutsOn } = useSnapshot(settings);
  return (
    <div className={styles.switches}>
      <CheckRow
        label="Show statistics"
        hint="Over the feed, on this device"
        isOn={areStatisticsShown}
        onChange={(isOn) => changeSettings({ areStatisticsShown: isOn })}
      />
      <CheckRow
        label="Keyboard shortcuts"
        hint="The 16 letters and digits of the feed"
        isOn={areShortcutsOn}
        onChange={(isOn) => void switchShortcuts(isOn)}
      />
      <div className={styles.help}>
        <Button kind="line" label="Shortcuts" onPress={() => openDialog('shortcuts')} />
      </div>
    </div>
  );
}

interface Props {
  seconds: number;
  isDisabled: boolean;
  onChoose: (seconds: number) => void;
  /** Changes the duration by one step. */
  onStep: (direction: -1 | 1) => void;
}

const { skipDurationMinSeconds: min, skipDurationMaxSeconds: max, skipDurationStepSeconds: step } = limits;

/** A slider of 180 steps, with buttons for one step in each direction. */
function SkipDuration({ seconds, isDisabled, onChoose, onStep }: Props) {
  return (
    <div>
      <div className={styles.head}>
        <span id="skip-duration">Video Skip Duration</span>
        <output className={styles.value}>{durationText(seconds)}</output>
      </div>
      <div className={styles.line}>
        <IconButton
          className={styles.step}
          label={`${durationText(step)} less`}
          icon={<Minus aria-hidden="true" />}
          isDisabled={isDisabled || seconds <= min}
          onPress={() => onStep(-1)}
        />
        <Range
          className={styles.slider}
          aria-labelledby="skip-duration"
          aria-valuetext={durationText(seconds)}
          min={min}
          max={max}
          step={step}
          value={seconds}
          disabled={isDisabled}
          style={{ '--at': (seconds - min) / (max - min) } as CSSProperties}
          onChange={(event) => onChoose(Number(event.target.value))}
        />
        <IconButton
          className={styles.step}
          label={`${durationText(step)} more`}
          icon={<Plus aria-hidden="true" />}
          isDisabled={isDisabled || seconds >= max}
          onPress={() => onStep(1)}
        />
      </div>
      <div className={styles.ends} aria-hidden="true">
        <span>{durationText(min)}</span>
        <span>{durationText(max)}</span>
      </div>
    </div>
  );
}
