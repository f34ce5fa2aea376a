import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { isAmong, session } from '#app/state/session.ts';
import { Swatch } from '#app/ui/badge.tsx';
import { ConfirmDialog, FormDialog } from '#app/ui/dialogs.tsx';
import type { FieldProps, Form } from '#app/ui/form/form.ts';
import { OptionsDialog, Select } from '#app/ui/form/select.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { confirmations } from '#contract/confirmations.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import type { TagAudience } from '#contract/rules/tag.ts';
import { audienceLabels, checkTagColor, tagAudiences, tagPalette } from '#contract/rules/tag.ts';
import { AliasesDialog, openAliases } from './aliases-dialog.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import styles from './tag-dialog.module.css';
import type { TagDialog } from './tag-forms.ts';
import { closeTagDialog, creationForm, editForm, openedDialog, openTagDialog } from './tag-forms.ts';
import { deleteTag, deleteTags, isAnyForSome, tags } from './tags-store.ts';

/** The dialog over the list, if one is open. */
export function OpenTagDialog() {
  const { current } = useSnapshot(openedDialog);
  return current && draw(current);
}

function draw(dialog: TagDialog): ReactNode {
  switch (dialog.kind) {
    case 'create':
      return <TagFormDialog form={creationForm} title="Create Tag" action="Create Tag" busy="Creating..." />;
    case 'edit':
      return <TagFormDialog form={editForm} title="Edit Tag" action="Update Tag" busy="Updating..." isOfExisting />;
    case 'delete-selected':
      return <SelectedRemoval />;
    case 'more':
      return <MoreDialog {...dialog} />;
    case 'aliases':
      return <AliasesDialog name={dialog.tag.name} />;
    case 'merge':
      return <MergeDialog tag={dialog.tag} />;
    default:
      return <Removal {...dialog} isPermanent={dialog.kind === 'delete-permanently'} />;
  }
}

type TagProps = Extract<TagDialog, { tag: unknown }>;

function Removal({ tag: { id, name }, isPermanent }: TagProps & { isPermanent: boolean }) {
  const { items } = useSnapshot(tags.state);
  const isForSome = isAnyForSome(items, [id]);
  const question = isPermanent ? confirmations.deleteTagPermanently(name) : confirmations.deleteTag;
  const remove = () => {
    closeTagDialog();
    void deleteTag({ id, name }, { isPermanent });
  };
  return (
    <ConfirmDialog
      title={isPermanent ? 'Delete permanently' : `Delete ${name}`}
      sentence={isForSome ? `${question} ${notices.tagOpens}` : question}
      action="Delete"
      onConfirm={remove}
      onClose={closeTagDialog}
    />
  );
}

function SelectedRemoval() {
  const { items, selectedIds } = useSnapshot(tags.state);
  const question = confirmations.deleteTags(selectedIds.length);
  const remove = () => {
    closeTagDialog();
    void deleteTags(selectedIds);
  };
  return (
    <ConfirmDialog
      title="Delete Selected"
      sentence={isAnyForSome(items, selectedIds) ? `${question} ${notices.tagOpens}` : question}
      action="Delete"
      onConfirm={remove}
      onClose={closeTagDialog}
    />
  );
}

type AdminAction = 'delete' | 'aliases' | 'merge' | 'delete-permanently';

const adminActions: readonly { value: AdminAction; label: string }[] = [
  { value: 'aliases', label: 'Other names' },
  { value: 'merge', label: 'Merge into...' },
  { value: 'delete', label: 'Delete' },
  { value: 'delete-permanently', label: 'Delete permanently' },
];

/** The actions on a tag that only administrators have. */
function MoreDialog({ tag }: TagProps) {
  const open = (kind: AdminAction) => {
    if (kind !== 'aliases') return openTagDialog({ kind, tag });
    const row = tags.state.items.find(({ id }) => id === tag.id);
    if (row) openAliases(row);
    else closeTagDialog();
  };
  return (
    <OptionsDialog title={tag.name} options={adminActions} value={null} onChoose={open} onClose={closeTagDialog} />
  );
}

interface Props {
  form: Form<'name' | 'description' | 'color' | 'audience'>;
  title: string;
  action: string;
  busy: string;
  /**
   * The color can be changed by the picker only, and administrators choose for whom the tag is (§2
   * Tag Management).
   */
  isOfExisting?: boolean;
}

/** A dialog for the name, description and color of a tag, and for whom it is. */
function TagFormDialog({ form, title, action, busy, isOfExisting = false }: Props) {
  const isAdmin = isAmong(useSnapshot(session).user, 'admin');
  const { values } = useSnapshot(form.state);
  const close = () => {
    form.reset();
    closeTagDialog();
  };
  useBackLayer(close);
  return (
    <FormDialog form={form} title={title} action={action} busy={busy} isOffline={false} onClose={close}>
      {(field) => (
        <>
          <TextField label="Name" autoComplete="off" {...field('name')} />
          <TextField label="Description" isOptional autoComplete="off" {...field('description')} />
          <ColorField name={values.name.trim()} isTextReadOnly={isOfExisting} {...field('color')} />
          {isOfExisting && isAdmin && <AudienceField {...field('audience')} />}
        </>
      )}
    </FormDialog>
  );
}

const audiences = tagAudiences.map((value) => ({ value, label: audienceLabels[value] }));

/** For whom the tag is, and with it the videos that are in no open one. */
function AudienceField({ value, problem, onChange }: FieldProps) {
  return (
    <div>
      <Select label="For" options={audiences} value={value as TagAudience} problem={problem} onChange={onChange} />
      {value !== 'anyone' && <p className={styles.hint}>{notices.tagForSome}</p>}
    </div>
  );
}

interface ColorFieldProps extends FieldProps {
  /** The tag's name, shown next to the swatch as in lists. */
  name: string;
  isTextReadOnly: boolean;
}

/**
 * The browser's color picker next to the color as text. On a TV a list of colors, because the
 * picker cannot be used with a remote.
 */
function ColorField({ name, isTextReadOnly, value, problem, onChange }: ColorFieldProps) {
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
