import { useState } from 'react';
import { Button } from '#app/ui/button.tsx';
import type { FieldProps } from '#app/ui/form/form.ts';
import { TextArea } from '#app/ui/form/text-field.tsx';
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
  const [isPreviewed, setPreviewed] = useState(false);
  return (
    <div>
      <TextArea label={label} value={value} onChange={onChange} problem={problem} hint={hint} isDisabled={isDisabled} />
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
