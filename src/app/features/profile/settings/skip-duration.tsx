import { Minus, Plus } from 'lucide-react';
import type { CSSProperties } from 'react';
import { Range } from '#app/ui/form/range.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { limits } from '#contract/limits.ts';
import { durationText } from '#contract/rules/duration.ts';
import styles from './skip-duration.module.css';

interface Props {
  seconds: number;
  isDisabled: boolean;
  onChoose: (seconds: number) => void;
  /** By one step. */
  onStep: (direction: -1 | 1) => void;
}

const { skipDurationMinSeconds: min, skipDurationMaxSeconds: max, skipDurationStepSeconds: step } = limits;

/** A slider of 180 steps, with buttons for one step each way. */
export function SkipDuration({ seconds, isDisabled, onChoose, onStep }: Props) {
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
