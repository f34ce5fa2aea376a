import shared from '../section.module.css';
import styles from './import-card.module.css';

const csv = `tag,description,color,aliases,path
Alps,Peaks,#3B82F6,Alpes|Alpen,
Alps,,,,films/alps.mp4`;

const json = `{"tags": [{
  "name": "Alps",
  "description": "Peaks",
  "color": "#3B82F6",
  "aliases": ["Alpes", "Alpen"],
  "videos": ["films/alps.mp4"]
}]}`;

/** What a file of channels looks like. */
export function FileForms() {
  return (
    <div className={`${shared.lines} ${shared.quiet}`}>
      <p>
        Channels and the paths of their videos, in the form of an export. What is there already stays as it is. In a CSV
        file, a row without a path describes a channel, and one with a path puts it on a video.
      </p>
      <div className={shared.columns}>
        <div className={shared.lines}>
          <p>CSV</p>
          <pre className={styles.form}>{csv}</pre>
        </div>
        <div className={shared.lines}>
          <p>JSON</p>
          <pre className={styles.form}>{json}</pre>
        </div>
      </div>
    </div>
  );
}
