import { useSnapshot } from 'valtio';
import { Swatch } from '#app/ui/card/swatch.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { SquaresLoader } from '#app/ui/loading/squares-loader.tsx';
import { channelList, choice, rowsOf, toggleChannel } from './filter-choice.ts';
import styles from './filter-panel.module.css';

/** The channels with their boxes, or why there are none. Chosen ones can be left out also without an answer. */
export function ChannelRows() {
  const state = useSnapshot(channelList.state);
  const { first, selected } = useSnapshot(choice);
  const rows = rowsOf(first, state.items, state.search);
  const face = faceOf({ ...state, items: rows });
  return (
    <ListBody
      face={face}
      failure={state.failure}
      cachedAt={state.cachedAt}
      onRetry={() => void channelList.reload()}
      skeleton={<SquaresLoader className={styles.loader} />}
      empty={
        <p className={styles.empty}>
          {state.search.trim() === '' ? 'No channels available' : 'No channels match your search'}
        </p>
      }
    >
      {rows.map((row) => (
        <CheckRow
          key={row.id}
          label={row.name}
          isOn={selected.some(({ id }) => id === row.id)}
          onChange={() => toggleChannel(row)}
          start={<Swatch color={row.color} />}
          end={'video_count' in row ? row.video_count : undefined}
        />
      ))}
    </ListBody>
  );
}
