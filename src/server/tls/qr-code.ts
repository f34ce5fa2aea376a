import { renderSVG, renderUnicodeCompact } from 'uqr';

const brightOnBlack = '\u001b[97;40m';
const reset = '\u001b[0m';

/** As lines for a terminal, light on dark whatever its colours are. */
export function qrLines(address: string): string[] {
  return renderUnicodeCompact(address, { border: 2 })
    .split('\n')
    .map((line) => `${brightOnBlack}${line}${reset}`);
}

/** As an image inside a page. `label` is what those hear who do not see it. */
export function qrSvg(address: string, label: string): string {
  return renderSVG(address, { border: 2 }).replace(
    '<svg ',
    `<svg role="img" aria-label="${label}" width="200" height="200" `,
  );
}
