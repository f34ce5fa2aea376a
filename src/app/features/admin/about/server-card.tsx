import type { Snapshot } from 'valtio';
import { Card } from '#app/ui/card/card.tsx';
import { Row } from '#app/ui/card/row.tsx';
import { spanText } from '#app/ui/elapsed-text.ts';
import type { About } from '#contract/entities/site.ts';
import { sandboxNames } from './about-words.ts';

export function ServerCard({ about: { version, uptime_seconds, node, ffmpeg, sandbox } }: { about: Snapshot<About> }) {
  return (
    <Card title="Server">
      <ul>
        <Row label="Version" value={version} />
        <Row label="Running for" value={spanText(uptime_seconds)} />
        <Row label="Node" value={node} />
        <Row label="ffmpeg" value={ffmpeg ?? 'None'} />
        <Row label="Sandbox of ffmpeg" value={sandbox === null ? 'None' : sandboxNames[sandbox]} />
      </ul>
    </Card>
  );
}
