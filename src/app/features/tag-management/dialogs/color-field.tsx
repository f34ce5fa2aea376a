import { currentForm } from '#app/platform/input/screen-form.ts';
import { Swatch } from '#app/ui/card/swatch.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import type { FieldProps } from '#app/ui/form/use-form.ts';
import { limits } from '#contract/limits.ts';
import { checkTagColor, tagPalette } from '#contract/rules/tag.ts';
import styles from './color-field.module.css';

interface Props extends FieldProps {
  /** The tag's name, beside the swatch as lists show it. */
  name: string;
  isTextReadOnly: boolean;
}

/** The browser's own picker beside the color as text; on a TV, where no remote works the picker, a list of colors. */
export function ColorField({ name, isTextReadOnly, value, problem, onChange }: Props) {
  const shown = checkTagColor(value) === null ? value : limits.tagColor;
  return (
    <div>
      <div className={styles.fields}>
        {currentForm() === 'tv' ? (
          <ColorList value={value} onChange={onChange} />
        ) : (
          <input
            type="color"
            className={styles.picker}
            aria-label="Color picker"
            value={shown.toLowerCase()}
            onChange={(event) => onChange(event.target.value.toUpperCase())}
          />
        )}
        <div className={styles.text}>
          <TextField
            label="Color"
            autoComplete="off"
            autoCapitalize="characters"
            readOnly={isTextReadOnly}
            value={value}
            problem={problem}
            onChange={onChange}
          />
        </div>
      </div>
      <p className={styles.hint}>
        <span className={styles.words}>Shown as a small swatch beside the name:</span>
        <span className={styles.sample}>
          <Swatch color={shown} />
          <bdi className={styles.name}>{name || 'Name'}</bdi>
        </span>
      </p>
    </div>
  );
}

function ColorList({ value, onChange }: Pick<FieldProps, 'value' | 'onChange'>) {
  const isListed = tagPalette.some((color) => color.value === value);
  const options = isListed ? tagPalette : [...tagPalette, { value, label: value }];
  return (
    <div className={styles.list}>
      <Select label="Color list" options={options} value={value} onChange={onChange} />
    </div>
  );
}
