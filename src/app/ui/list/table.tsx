import type { ReactNode } from 'react';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { CheckRow } from '../form/check-row.tsx';
import styles from './table.module.css';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /**
   * Position in the narrow list: the first line, a fact in the line below, or hidden. Exactly one
   * column is the name.
   */
  inList: 'name' | 'fact' | 'nowhere';
  isNumber?: boolean;
}

interface Selection {
  ids: readonly string[];
  onToggle: (id: string) => void;
  onToggleAll: () => void;
}

interface Props<Row> {
  /** Name of the table, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** The name of a row in its checkbox label: 'Select Aurora'. */
  nameOf: (row: Row) => string;
  selection?: Selection;
  /** Icon buttons at the end of a row. */
  actions?: (row: Row) => ReactNode;
  /** Other rows are loading. */
  isBusy?: boolean;
  /** Rows have no controls: on a TV each row is focusable itself, or arrow keys would skip it. */
  isReadOnly?: boolean;
}

const places = { name: styles.name, fact: styles.fact, nowhere: styles.nowhere };

/**
 * A table; below 900 px it becomes a list. The roles are explicit, because the list's layout
 * removes the implicit ones.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  idOf,
  nameOf,
  selection,
  actions,
  isBusy = false,
  isReadOnly = false,
}: Props<Row>) {
  const classOf = ({ inList, isNumber }: Column<Row>) => `${places[inList]} ${isNumber ? styles.number : ''}`;
  const className = `${styles.table} ${selection ? '' : styles.boxless} ${actions ? '' : styles.actionless}`;
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: the list's layout takes the implicit roles away
    // biome-ignore-start lint/a11y/useSemanticElements: the list's layout takes the implicit roles away
    <table role="table" className={className} aria-label={label} aria-busy={isBusy} data-focus-region>
      <thead role="rowgroup">
        <tr role="row" className={styles.head}>
          {selection && (
            <th role="columnheader" className={styles.box}>
              <SelectAll selection={selection} count={rows.length} />
              <span className={styles.all} aria-hidden="true">
                Select all
              </span>
            </th>
          )}
          {columns.map((column) => (
            <th key={column.title} role="columnheader" scope="col" className={classOf(column)}>
              {column.title}
            </th>
          ))}
          {actions && (
            <th role="columnheader" scope="col" className={styles.actions}>
              Actions
            </th>
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <TableRow
            key={idOf(row)}
            row={row}
            columns={columns}
            classOf={classOf}
            id={idOf(row)}
            name={nameOf(row)}
            isReached={isReadOnly && currentForm() === 'tv'}
            {...{ selection, actions }}
          />
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/useSemanticElements: the list's layout takes the implicit roles away
    // biome-ignore-end lint/a11y/noRedundantRoles: the list's layout takes the implicit roles away
  );
}

interface RowProps<Row> {
  row: Row;
  id: string;
  name: string;
  columns: readonly Column<Row>[];
  classOf: (column: Column<Row>) => string;
  selection: Selection | undefined;
  actions: ((row: Row) => ReactNode) | undefined;
  isReached: boolean;
}

function TableRow<Row>({ row, id, name, columns, classOf, selection, actions, isReached }: RowProps<Row>) {
  const isSelected = selection?.ids.includes(id) ?? false;
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see the table
    // biome-ignore-start lint/a11y/useSemanticElements: see the table
    <tr
      role="row"
      className={`${styles.row} ${isSelected ? styles.selected : ''}`}
      tabIndex={isReached ? 0 : undefined}
    >
      {selection && (
        <td role="cell" className={styles.box}>
          <CheckRow label={`Select ${name}`} isLabelHidden isOn={isSelected} onChange={() => selection.onToggle(id)} />
        </td>
      )}
      {columns.map((column) =>
        column.inList === 'name' ? (
          <th key={column.title} role="rowheader" scope="row" className={classOf(column)}>
            {column.cell(row)}
          </th>
        ) : (
          <td key={column.title} role="cell" className={classOf(column)}>
            {column.cell(row)}
          </td>
        ),
      )}
      {actions && (
        <td role="cell" className={styles.actions}>
          {actions(row)}
        </td>
      )}
    </tr>
    // biome-ignore-end lint/a11y/useSemanticElements: see the table
    // biome-ignore-end lint/a11y/noRedundantRoles: see the table
  );
}

function SelectAll({ selection: { ids, onToggleAll }, count }: { selection: Selection; count: number }) {
  const isAll = count > 0 && ids.length === count;
  return (
    <CheckRow
      label="Select all"
      isLabelHidden
      isOn={isAll}
      isMixed={ids.length > 0 && !isAll}
      isDisabled={count === 0}
      onChange={onToggleAll}
    />
  );
}
