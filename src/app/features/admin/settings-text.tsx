import { useId, useState } from 'react';
import { Button } from '#app/ui/button.tsx';
import type { FieldProps } from '#app/ui/form/form.ts';
import { FieldNote } from '#app/ui/form/text-field.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Markdown } from '#app/ui/markdown.tsx';
import shared from './section.module.css';
import styles from './settings-text.module.css';

interface Props extends FieldProps {
  label: string;
  isDisabled: boolean;
  hint: string | undefined;
}

/** A text in Markdown, which can be looked at as viewers will see it. */
export function MarkdownField({ label, value, onChange, problem, hint, isDisabled }: Props) {
  const id = useId();
  const [isPreviewed, setPreviewed] = useState(false);
  return (
    <div>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <textarea
        id={id}
        className={styles.text}
        rows={6}
        value={value}
        disabled={isDisabled}
        aria-invalid={Boolean(problem)}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.target.value)}
      />
      <FieldNote id={`${id}-note`} problem={problem} hint={hint} />
      {value !== '' && (
        <div className={shared.buttons}>
          <Button
            kind="line"
            name={`${isPreviewed ? 'Hide Preview' : 'Preview'}: ${label}`}
            label={isPreviewed ? 'Hide Preview' : 'Preview'}
            onPress={() => setPreviewed(!isPreviewed)}
          />
        </div>
      )}
      {isPreviewed && value !== '' && (
        <section className={styles.preview} aria-label={`Preview of ${label}`}>
          <Markdown text={value} onDraw={() => {}} loading={<Skeleton className={shared.waiting} />} />
        </section>
      )}
    </div>
  );
}
