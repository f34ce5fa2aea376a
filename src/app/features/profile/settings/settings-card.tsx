import { useSnapshot } from 'valtio';
import { openDialog } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { limits } from '#contract/limits.ts';
import { durationText } from '#contract/rules/duration.ts';
import { LayoutChoice } from './layout-choice.tsx';
import styles from './settings-card.module.css';
import {
  chooseStep,
  isUnsaved,
  mayChooseStep,
  moveStep,
  saveSettings,
  settingsForm,
  shownStep,
  switchShortcuts,
} from './settings-store.ts';
import { SkipDuration } from './skip-duration.tsx';

/** The skip duration is saved by its button; the settings below it take effect at once. */
export function SettingsCard() {
  return (
    <Card title="Settings">
      <Step />
      <Switches />
      <p className={styles.hint}>
        Playback is measured: stalls, dropped frames, buffer and speed. Only sums are stored, for{' '}
        {limits.performanceHours} hours and without names: nothing tells who watched what.
      </p>
      <LayoutChoice />
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
